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

/** Checks every invariant that the evidence about a single session can show. */
export function checkSession(evidence: SessionEvidence): Violation[] {
  return CHECKS.flatMap((check) => check(evidence));
}

/** Checks the invariant that compares the sessions of an episode with each other. */
export const checkEpisode = checkPaidOnce;
