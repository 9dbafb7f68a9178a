import { checkAnswers } from './answers';
import { checkCancels } from './cancels';
import { checkCreates } from './creates';
import type { SessionEvidence, Violation } from './evidence';
import { checkOrphans } from './orphans';
import { checkPace } from './pace';
import { checkPaid, checkPaidOnce } from './paid';
import { checkSettling } from './settling';
import { checkStates } from './states';
import { checkTasks } from './tasks';

const CHECKS = [
  checkCreates,
  checkCancels,
  checkStates,
  checkSettling,
  checkPace,
  checkAnswers,
  checkTasks,
  checkPaid,
  checkOrphans,
];

/** Checks every invariant that one session can violate by itself. */
export function checkSession(evidence: SessionEvidence): Violation[] {
  return CHECKS.flatMap((check) => check(evidence));
}

/** Checks every invariant that the sessions of an episode can violate together. */
export const checkEpisode = checkPaidOnce;
