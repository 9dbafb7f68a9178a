import type { SessionPolicy } from '../../../src';
import type { SessionPlan } from '../plan/plan';

/** A deadline that does not pass: longer than any episode. */
const LONG = '2h';
/** A short `deadline`. Usually the session is open by then, because its create request has succeeded. */
const OVERALL = '8s';
/**
 * A short `padSignatureDeadline`. A payor signs some polls after the bank account was validated. So the signature may come before or after
 * this deadline.
 */
const SIGNATURE = '3s';
/** The deadline of a session in an outage. It passes while no worker or no Temporal server is running. */
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
