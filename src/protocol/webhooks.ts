/** The events that merchants' systems receive about a session. The shapes and names are permanent. */
import type { ReturnAdvice } from '../contract/return-codes';
import type { SessionRequest } from '../contract/session-request';
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
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** The body of a message. */
export interface WebhookEvent {
  readonly type: WebhookKind;
  /** When it happened; ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: WebhookData;
}

export interface WebhookData {
  /** The caller's key. */
  readonly key: string;
  /** Whose sessions these are: a key is unique in it. */
  readonly environment: string;
  /** The account at the payment service. */
  readonly account: string;
  /** `DEBIT`: money from the payor. `CREDIT`: money to them. */
  readonly direction: SessionRequest['direction'];
  /** Grows with each entry of the key: of two messages, the one with the greater number is the later one. */
  readonly number: number;
  /** As the library's `state()` gives it, after this change. What is personal is there only where the endpoint asks for it. */
  readonly state: WebhookState;
  /** Of `session.decided`. */
  readonly decision?: Decision;
  /** Of `payment.settled` and `payment.returned`: the line of the reconciliation file. */
  readonly payment?: WebhookPayment;
  /** Only where the endpoint asks for personal data, and until it has been erased. */
  readonly request?: SessionRequest;
}

export type WebhookState = Omit<SessionState, 'anomalies'> & {
  readonly anomalies: readonly (Omit<Anomaly, 'detail'> & { readonly detail?: string })[];
};

export interface WebhookPayment {
  /** Dollars. */
  readonly amount: number;
  /** The day or time that the file gives; ISO 8601. */
  readonly at: string;
  /** Why it came back, as the file has it. */
  readonly returnCode?: string;
  /** What to do about the return (contract A76); absent where the code is not known. */
  readonly advice?: ReturnAdvice;
}
