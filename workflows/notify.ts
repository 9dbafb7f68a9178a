import {
  proxySinks,
  workflowInfo,
  type Sinks,
  condition,
  getExternalWorkflowHandle,
  log,
} from '@temporalio/workflow';
import { newParking, type ToldEnd, type ToldParking } from '../src/protocol/ledger/session-facts';
import type { SessionResult, SessionState } from '../src/protocol/state/session';
import type { Session } from './session';
import type { SessionRecord } from './record/session-record';
import { CHANGED_SIGNAL, TELLS_PARENT } from '../src/protocol/names';

/**
 * Sends to the ledger the facts that only the workflow knows. The SDK waits for these calls before it completes the
 * workflow task that makes them, and repeats them with a repeated task. The ledger records each fact once. The calls leave
 * nothing in the history, so workers with and without a ledger can replay each other's histories.
 */
export interface LedgerSinks extends Sinks {
  readonly paymentLedger: {
    parked(told: ToldParking): void;
    /**
     * Records an end. If the Temporal server refuses the completion of the last task, the workflow repeats that task, and
     * may record another end. Callers receive the end with the later time.
     *
     * @param at the time of the end, by the workflow's clock; ISO 8601, UTC
     */
    ended(told: ToldEnd, at: string): void;
  };
}

const { paymentLedger } = proxySinks<LedgerSinks>();

/**
 * Records in the ledger the parks of the session, and the decisions about them, that the record has gained since
 * `before`.
 */
export function tellParking(session: Session, before: SessionRecord): void {
  // The end is recorded next, and includes the parks and their decisions.
  if (session.closing() || !isTold(session)) return;
  const facts = newParking(before, session.record);
  if (facts.length > 0) paymentLedger.parked({ ...session.keyClaim(), facts });
}

/** Records in the ledger how a session ended, if the ledger has its key or may have it. */
export function tellResult(session: Session, result: SessionResult): void {
  if (isTold(session)) paymentLedger.ended({ ...session.keyClaim(), result }, now());
}

/** Records in the ledger how a session with a failing workflow ended. Does nothing if the workflow is not failing. */
export function tellFailure(session: Session): void {
  const { failure } = session;
  if (failure === undefined || !isTold(session)) return;
  const { stateHistory } = session.record;
  const how = { failure: failure.code, state: session.state(), stateHistory };
  paymentLedger.ended({ ...session.keyClaim(), ...how }, now());
}

/** True if facts go to the ledger: it has the session's key, or may have it, and the workflow is not replaying. */
const isTold = ({ record: { onLedger } }: Session): boolean =>
  onLedger === true && !workflowInfo().unsafe.isReplaying;

const now = (): string => new Date().toISOString();

/**
 * Sends each change before the end to the workflow that started the session, if that workflow asked for it. One signal
 * is under way at a time, so changes that come close together are sent as one. A run that continues another sends the
 * state once more: the parent recognizes it by its revision.
 */
export async function tellParent(session: Session): Promise<void> {
  const { parent, memo } = workflowInfo();
  if (parent === undefined || memo?.[TELLS_PARENT] === undefined) return;
  const handle = getExternalWorkflowHandle(parent.workflowId);
  const isOver = () => session.closing() || session.continuing;
  let told = 0;
  for (;;) {
    await condition(() => session.record.revision !== told || isOver());
    if (isOver()) return;
    told = session.record.revision;
    try {
      await handle.signal<[SessionState]>(CHANGED_SIGNAL, session.state());
    } catch (error) {
      // The parent has closed, or accepts no more signals. The session continues without it.
      log.warn('The workflow that started the session receives no more changes.', {
        account: session.account,
        error,
      });
      return;
    }
  }
}
