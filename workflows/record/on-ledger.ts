import { patched } from '@temporalio/workflow';
import type { RecordEndInput } from '../../src/protocol/activities/activities';
import type { SessionResult } from '../../src/protocol/state/session';
import { recordEnd } from '../calls/activity-proxies';
import type { Session } from '../session';

/** A worker of an earlier version may end the workflow of a session that another one has put on the ledger. */
const END_ON_LEDGER = 'end-on-ledger';

/** Has the ledger record how a session ended, where it has its key. */
export async function recordResult(session: Session, result: SessionResult): Promise<void> {
  if (isOnLedger(session)) await record({ ...session.keyClaim(), result });
}

/** The same of a session whose workflow is failing; does nothing where it is not. */
export async function recordFailure(session: Session): Promise<void> {
  const { failure } = session;
  if (failure === undefined || !isOnLedger(session)) return;
  const { stateHistory } = session.record;
  await record({ ...session.keyClaim(), failure: failure.code, state: session.state(), stateHistory });
}

const isOnLedger = ({ record: { onLedger } }: Session): boolean =>
  onLedger === true && patched(END_ON_LEDGER);

/** Nobody waits for a ledger that is away: what it lacks is recorded later, from the workflow. */
async function record(input: RecordEndInput): Promise<void> {
  try {
    await recordEnd({ ...input, at: new Date().toISOString() });
  } catch {
    return;
  }
}
