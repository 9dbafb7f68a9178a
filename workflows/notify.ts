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
 * Sends facts that only the workflow knows to the ledger, by sinks. A sink is a function of the worker that a workflow
 * calls. The SDK completes a workflow task only after the task's sink calls have ended. If the task is repeated, its calls
 * are repeated, and the ledger records each fact once.
 *
 * Sink calls add no events to the history. So workers with and without a ledger can replay each other's histories.
 */
export interface LedgerSinks extends Sinks {
  readonly paymentLedger: {
    parked(told: ToldParking): void;
    /**
     * Records an end. If the Temporal server refuses the completion of the last task, the workflow repeats that task, and
     * may then record a different end. The end with the later time counts.
     *
     * @param at the time of the end, by the workflow's clock; ISO 8601, UTC
     */
    ended(told: ToldEnd, at: string): void;
  };
}

const { paymentLedger } = proxySinks<LedgerSinks>();

/**
 * Records the session's new waits for a decision (parks) and the decisions about them in the ledger: all that are not in
 * the record `before`.
 */
export function recordParking(session: Session, before: SessionRecord): void {
  // The end is recorded next, and includes the parks and the decisions.
  if (session.closing() || !isSentToLedger(session)) return;
  const facts = newParking(before, session.record);
  if (facts.length > 0) paymentLedger.parked({ ...session.keyClaim(), facts });
}

/** Records a session's result in the ledger, if the ledger has the session's key or may have it. */
export function recordResult(session: Session, result: SessionResult): void {
  if (isSentToLedger(session)) paymentLedger.ended({ ...session.keyClaim(), result }, now());
}

/** Records the failure of a session's workflow in the ledger. Does nothing if the workflow is not failing. */
export function recordFailure(session: Session): void {
  const { failure } = session;
  if (failure === undefined || !isSentToLedger(session)) return;
  const { stateHistory } = session.record;
  const how = { failure: failure.code, state: session.state(), stateHistory };
  paymentLedger.ended({ ...session.keyClaim(), ...how }, now());
}

/**
 * True if facts are sent to the ledger: the ledger has the session's key, or may have it, and the workflow is not
 * replaying.
 */
const isSentToLedger = ({ record: { onLedger } }: Session): boolean =>
  onLedger === true && !workflowInfo().unsafe.isReplaying;

const now = (): string => new Date().toISOString();

/** True if this session is a child session whose parent workflow asked for its changes. */
export function isFollowedByParent(): boolean {
  const { parent, memo } = workflowInfo();
  return parent !== undefined && memo?.[TELLS_PARENT] !== undefined;
}

/**
 * Sends each change of a child session to its parent workflow. Does not send the end.
 * Sends one signal at a time, so several changes in quick succession are sent as one.
 *
 * After a continue-as-new, the new run sends the state again. The parent ignores it, because it is the same state.
 */
export async function signalParent(session: Session): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
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
      // The parent has closed, or accepts no more signals. The session continues without signals.
      log.warn('The workflow that started the session receives no more changes.', {
        account: session.account,
        error,
      });
      return;
    }
  }
}
