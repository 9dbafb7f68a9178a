/** Webhooks: the messages about sessions that merchants' systems receive. Their shapes and names are permanent. */
import type { ReturnAdvice } from '../contract/return-codes';
import type { SessionRequest } from '../contract/session-request';
import type { Metadata } from './metadata';
import type { Anomaly, Decision } from './state/recorded';
import type { SessionState } from './state/session';

/** The kinds of webhooks. The names are permanent. */
export const WEBHOOK_KINDS = [
  'session.opened',
  'session.state_changed',
  'session.paid',
  'session.ended',
  'session.parked',
  'session.decided',
  'payment.settled',
  'payment.returned',
] as const;
/** A kind of webhook. */
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** The kinds of messages for operators. An endpoint receives them only if its `kinds` name them. The names are permanent. */
export const OPS_KINDS = ['ops.parked', 'ops.account_paused'] as const;
/** A kind of message for operators. */
export type OpsKind = (typeof OPS_KINDS)[number];

/** True for a kind of message for operators. */
export const isOpsKind = (kind: string): kind is OpsKind => OPS_KINDS.some((known) => known === kind);

/**
 * The body of a message for operators. `ops.parked` is sent after sessions of an account have waited for a decision for a minute.
 * `ops.account_paused` is sent after the account's calls have been paused for a minute, if some calls are waiting.
 */
export interface OpsEvent {
  /** The condition that the message reports. */
  readonly type: OpsKind;
  /** The time at which the condition began; ISO 8601, UTC. */
  readonly timestamp: string;
  /** The place and the size of the condition. */
  readonly data: {
    /** The environment of the sessions. */
    readonly environment: string;
    /** The account at the payment service. */
    readonly account: string;
    /** The number of sessions that wait for a decision. Only with `ops.parked`. */
    readonly sessions?: number;
    /** The error code of the failure that paused the account's calls. Only with `ops.account_paused`. */
    readonly cause?: string;
  };
}

/** The body of a webhook. */
export interface WebhookEvent {
  /** The kind of event, such as `session.paid`. */
  readonly type: WebhookKind;
  /** The time of the event; ISO 8601, UTC. */
  readonly timestamp: string;
  /** The session, and its state after the event. */
  readonly data: WebhookData;
}

/** The body of a test message to an endpoint. */
export interface WebhookPing {
  /** Always `test.ping`. No message about a session has this type. */
  readonly type: 'test.ping';
  /** The time of the test; ISO 8601, UTC. */
  readonly timestamp: string;
  /** The endpoint's name in the settings. */
  readonly data: { readonly endpoint: string };
}

/** The session that a webhook is about, and the event. */
export interface WebhookData {
  /** The caller's key. */
  readonly key: string;
  /** The environment of the sessions, such as `production`. A key is unique in its environment. */
  readonly environment: string;
  /** The account at the payment service. */
  readonly account: string;
  /** `DEBIT` takes money from the payor. `CREDIT` sends money to the payor. */
  readonly direction: SessionRequest['direction'];
  /**
   * The number of the event among the ledger's entries of this key. A later event has a greater number. Messages about the same event
   * have the same number.
   */
  readonly number: number;
  /**
   * The session's state after the event: the fields of `PaymentSessionHandle.state()` that the ledger records. Only an endpoint that asks
   * for personal data receives personal data. After the session's end, only such an endpoint receives `checkoutUrl`, `unsigned` and
   * `unverified`.
   */
  readonly state: WebhookState;
  /** The decision. Only with `session.decided`. Has `by` and `reason` only if the endpoint asks for personal data. */
  readonly decision?: Decision;
  /** The movement of money, from a line of the reconciliation file. Only with `payment.settled` and `payment.returned`. */
  readonly payment?: WebhookPayment;
  /**
   * The session's metadata. An endpoint that asks for personal data receives all metadata. Any other endpoint receives only the
   * searchable metadata. Absent if there are none, or if they have been erased.
   */
  readonly metadata?: Metadata;
  /** The session's request. Present only if the endpoint asks for personal data and the data has not been erased. */
  readonly request?: SessionRequest;
}

/** A session's state in a webhook. An anomaly has its `detail` only if the endpoint asks for personal data. */
export type WebhookState = Omit<SessionState, 'anomalies'> & {
  readonly anomalies: readonly (Omit<Anomaly, 'detail'> & { readonly detail?: string })[];
};

/** A movement of the session's money, from a line of the reconciliation file. */
export interface WebhookPayment {
  /** The amount, in dollars. */
  readonly amount: number;
  /** The day in the file, as its first moment; ISO 8601, UTC. */
  readonly at: string;
  /** The return code, as the file has it. Absent if the file has none. */
  readonly returnCode?: string;
  /** The advice for the return (contract rule A76, docs/contract.md). Absent if the code is not known. */
  readonly advice?: ReturnAdvice;
}
