import type { RecordEndInput } from '../../src/protocol/activities/activities';
import type { SessionResult } from '../../src/protocol/state/session';
import { recordEnd } from '../calls/activity-proxies';
import type { Session } from '../session';

/** Has the ledger record how a session ended, where it has its key. */
export async function recordResult(session: Session, result: SessionResult): Promise<void> {
  if (session.record.onLedger === true) await record({ ...session.keyClaim(), result });
}

/** The same of a session whose workflow is failing; does nothing where it is not. */
export async function recordFailure(session: Session): Promise<void> {
  const { failure, record: known } = session;
  if (failure === undefined || known.onLedger !== true) return;
  const { stateHistory } = known;
  await record({ ...session.keyClaim(), failure: failure.code, state: session.state(), stateHistory });
}

/** Nobody waits for a ledger that is away: what it lacks is recorded later, from the workflow. */
async function record(input: RecordEndInput): Promise<void> {
  try {
    await recordEnd(input);
  } catch {
    return;
  }
}
