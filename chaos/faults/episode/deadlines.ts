import type { SessionPolicy } from '../../../src';
import type { SessionPlan } from '../plan/plan';

/** Longer than any episode. */
const LONG = '2h';
/** The deadline of a session that is open by then, unless its create failed for long. */
const OVERALL = '8s';
/** A payor who signs does so some polls after the bank account was validated: before this deadline, or after it. */
const SIGNATURE = '3s';
/** The deadline of an abandoned session. It passes while no worker runs. */
const ALONE = '15s';

/** The deadlines of a planned session. */
export function deadlinesOf(
  { deadline }: Pick<SessionPlan, 'deadline'>,
  isLeftAlone: boolean,
): Pick<SessionPolicy, 'deadline' | 'padSignatureDeadline'> {
  switch (deadline) {
    case undefined:
      return { deadline: LONG, padSignatureDeadline: LONG };
    case 'signature':
      return { deadline: LONG, padSignatureDeadline: isLeftAlone ? ALONE : SIGNATURE };
    case 'overall':
    case 'unclear':
      return { deadline: isLeftAlone ? ALONE : OVERALL, padSignatureDeadline: LONG };
  }
}
