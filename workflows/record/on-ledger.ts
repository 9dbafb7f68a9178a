import { patched } from '@temporalio/workflow';
import { newParking } from '../../src/protocol/ledger/session-facts';
import type { RecordEndInput } from '../../src/protocol/activities/activities';
import type { SessionResult } from '../../src/protocol/state/session';
import { recordEnd, recordParking } from '../calls/activity-proxies';
import type { Session } from '../session';
import type { SessionRecord } from './session-record';

/** A worker of an earlier version may end the workflow of a session that another one has put on the ledger. */
const END_ON_LEDGER = 'end-on-ledger';

/** Before it, the ledger heard of decisions as the session ended, and of parks never. */
const PARKING_ON_LEDGER = 'parking-on-ledger';

/** Has the ledger record that the session was parked, and what was decided about that, since its record was what it was `before`. */
export async function tellParking(session: Session, before: SessionRecord): Promise<void> {
  // An end tells it all.
  if (session.record.onLedger !== true || session.closing()) return;
  const facts = newParking(before, session.record);
  if (facts.length === 0 || !patched(PARKING_ON_LEDGER)) return;
  await unlessAway(recordParking({ ...session.keyClaim(), facts }));
}

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

const record = (input: RecordEndInput): Promise<void> =>
  unlessAway(recordEnd({ ...input, at: new Date().toISOString() }));

/** Nobody waits for a ledger that is away: what it lacks is recorded later, from the workflow. */
async function unlessAway(recording: Promise<void>): Promise<void> {
  try {
    await recording;
  } catch {
    return;
  }
}
