/** The events that merchants' systems receive about a session. The shapes and names are permanent. */
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

/** The kinds of messages for operators, which an endpoint receives only if its `kinds` name them. The names are permanent. */
export const OPS_KINDS = ['ops.parked', 'ops.account_paused'] as const;
/** A kind of message for operators. */
export type OpsKind = (typeof OPS_KINDS)[number];

/** True for a kind of message for operators. */
export const isOpsKind = (kind: string): kind is OpsKind => OPS_KINDS.some((known) => known === kind);

/**
 * The body of a message for operators. A message is sent after sessions of an account have waited for a decision for a minute, or after the
 * account's calls have been paused for a minute while some of them wait.
 */
export interface OpsEvent {
  /** The condition that the message is about. */
  readonly type: OpsKind;
  /** The time at which the condition began; ISO 8601, UTC. */
  readonly timestamp: string;
  /** The place and the extent of the condition. */
  readonly data: {
    /** The environment of the sessions. */
    readonly environment: string;
    /** The account at the payment service. */
    readonly account: string;
    /** The number of sessions that wait; only with `ops.parked`. */
    readonly sessions?: number;
    /** The error code of the failure that paused the calls; only with `ops.account_paused`. */
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

/** The body of a message that only tests an endpoint. */
export interface WebhookPing {
  /** Distinguishes a test from the messages of sessions. */
  readonly type: 'test.ping';
  /** The time of the test; ISO 8601, UTC. */
  readonly timestamp: string;
  /** The name of the endpoint in the settings. */
  readonly data: { readonly endpoint: string };
}

/** The session that a webhook is about, and what happened to it. */
export interface WebhookData {
  /** The caller's key. */
  readonly key: string;
  /** The environment of the sessions, in which a key is unique. */
  readonly environment: string;
  /** The account at the payment service. */
  readonly account: string;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction: SessionRequest['direction'];
  /**
   * The number of the entry of the key that the message is about. A later entry has a greater number, and messages about one entry share
   * theirs.
   */
  readonly number: number;
  /**
   * The session's state after this change: the fields of the library's `state()` that the ledger records. Only an endpoint that asks for
   * personal data receives such data and, once the session has ended, `checkoutUrl`, `unsigned` and `unverified`.
   */
  readonly state: WebhookState;
  /** The decision; only with `session.decided`. `by` and `reason` only if the endpoint asks for personal data. */
  readonly decision?: Decision;
  /** The line of the reconciliation file; only with `payment.settled` and `payment.returned`. */
  readonly payment?: WebhookPayment;
  /**
   * The session's metadata: all if the endpoint asks for personal data, otherwise those that the policy makes searchable. Absent if there
   * are none, or if they have been erased.
   */
  readonly metadata?: Metadata;
  /** The session's request. Present only if the endpoint asks for personal data and the data has not been erased. */
  readonly request?: SessionRequest;
}

/** A session's state in a webhook. The `detail` of an anomaly is there only if the endpoint asks for personal data. */
export type WebhookState = Omit<SessionState, 'anomalies'> & {
  readonly anomalies: readonly (Omit<Anomaly, 'detail'> & { readonly detail?: string })[];
};

/** A movement of the session's money, from a line of the reconciliation file. */
export interface WebhookPayment {
  /** The amount, in dollars. */
  readonly amount: number;
  /** The first moment of the day in the file; ISO 8601, UTC. */
  readonly at: string;
  /** The code for the reason of a return, as the file has it; absent if the file has none. */
  readonly returnCode?: string;
  /** The advice for the return (contract A76); absent if the code is not known. */
  readonly advice?: ReturnAdvice;
}
