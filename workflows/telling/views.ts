/** What a session's record shows to callers and to the UI: pure. */
import type { SessionFailure } from '../../src/errors/failures';
import type { Decision } from '../../src/protocol/state/recorded';
import type { SessionResult, SessionState } from '../../src/protocol/state/session';
import { phaseOf, type SessionRecord } from '../record/session-record';
import { isPaid } from '../../src/contract/statuses';
import type { PaymentSessionInput } from '../../src/protocol/input';

/** Answer of the `state` query; `failure` is there once the workflow is failing. */
export function stateOf(
  input: PaymentSessionInput,
  record: SessionRecord,
  failure: SessionFailure | undefined,
): SessionState {
  const { status, code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified, trouble } = record;
  const { revision, anomalies, parks } = record;
  return {
    phase: failure === undefined ? phaseOf(record) : 'ended',
    revision,
    ...identityOf(input, record),
    paid: isPaid(record.kind, record),
    ...defined({
      status,
      code,
      sessionId,
      checkoutUrl,
      amount,
      cancel,
      unsigned,
      unverified,
      trouble,
      failure,
    }),
    anomalies,
    decisions: failure === undefined ? record.decisions : record.decisions.map(failedBy(failure)),
    ...defined({ parks }),
  };
}

/** What is pending when the workflow fails never will be carried out. */
const failedBy =
  ({ code }: SessionFailure) =>
  (decision: Decision): Decision =>
    decision.result === 'pending' ? { ...decision, result: code } : decision;

/** The workflow's result, once the session has ended. */
export function resultOf(input: PaymentSessionInput, record: SessionRecord): SessionResult {
  const { status = 'Cancelled', code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified } = record;
  const { stateHistory, anomalies, decisions, parks } = record;
  const paid = isPaid(record.kind, record) && sessionId !== undefined && checkoutUrl !== undefined;
  return {
    ...identityOf(input, record),
    ...(paid
      ? { paid: true, status: 'Completed', sessionId, checkoutUrl }
      : { paid: false, status, ...defined({ sessionId, checkoutUrl }) }),
    ...defined({ code, amount, cancel, unsigned, unverified }),
    stateHistory,
    anomalies,
    decisions,
    ...defined({ parks }),
  };
}

function identityOf(
  { key, request }: PaymentSessionInput,
  { kind }: SessionRecord,
): Pick<SessionState, 'key' | 'kind' | 'referenceId'> {
  return { key, kind, referenceId: request.referenceId ?? null };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined members, so that answers hold only what is known. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
