import type { SessionPolicy } from '../../../src';
import type { SessionPlan } from '../plan/plan';

/** A deadline that does not pass: longer than any episode. */
const LONG = '2h';
/** A short `deadline`. By then, the session is open, unless its create failed for long. */
const OVERALL = '8s';
/** A short `padSignatureDeadline`. A payor signs some polls after the bank account was validated: before it, or after it. */
const SIGNATURE = '3s';
/** The deadline of a session that is left alone. It passes while no worker or no server runs. */
const ALONE = '15s';

/** Returns the deadlines of a planned session. */
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
