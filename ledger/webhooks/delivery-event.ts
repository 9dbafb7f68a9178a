import type { OpsKind, WebhookKind } from '../../src/protocol/webhooks';

/** A message that an endpoint has answered. */
interface AnsweredMessage {
  readonly endpoint: string;
  readonly type: WebhookKind;
  readonly key: string;
  readonly id: string;
}

/** An event that a sender of webhooks reports. */
export type DeliveryEvent =
  | (AnsweredMessage & {
      readonly kind: 'delivered';
      /** Milliseconds since the entry was recorded. */
      readonly afterMs: number;
    })
  | (AnsweredMessage & { readonly kind: 'refused'; readonly outcome: string })
  /**
   * None of the session's webhooks are sent. `withheld`: its entries were changed in the ledger, and the sender reads them again after an hour.
   * `unreadable`: the sender lacks the session's encryption key, and a sender reads the entries again after a minute.
   */
  | {
      readonly kind: 'withheld' | 'unreadable';
      readonly endpoint: string;
      readonly key: string;
      readonly code: string;
      readonly message: string;
    }
  /** The sender gives up a message, after three days of refusals or because the post gives it up. An operator can send it again. */
  | { readonly kind: 'givenUp'; readonly endpoint: string; readonly key: string; readonly outcome: string }
  /** The endpoint has refused several messages in a row. Senders try one message at a time. */
  | { readonly kind: 'down'; readonly endpoint: string; readonly outcome: string }
  | { readonly kind: 'up'; readonly endpoint: string }
  /** The endpoint was down for three days, or answers that it is gone. Senders no longer try it. */
  | { readonly kind: 'failing'; readonly endpoint: string; readonly outcome: string }
  /** The endpoint refuses a message for operators. The sender tries again every few seconds while its cause lasts. */
  | {
      readonly kind: 'opsRefused';
      readonly endpoint: string;
      readonly type: OpsKind;
      readonly outcome: string;
    }
  /** A running sender has this endpoint with another URL, other secrets or other filters. */
  | { readonly kind: 'differs'; readonly endpoint: string }
  /** The ledger does not answer. The sender tries again. */
  | { readonly kind: 'away'; readonly code: string; readonly message: string }
  /** Old deliveries and passing endpoints cannot be removed. The sender still sends webhooks, and tries the removal again. */
  | { readonly kind: 'notCleaned'; readonly code: string; readonly message: string };

/** A report about an endpoint or about all endpoints, but not about a single answer. */
export type EndpointReport = Exclude<DeliveryEvent, { readonly kind: 'delivered' | 'refused' }>;

/** Describes a report for logs and terminals, which show the endpoint and its answer separately. */
export function describeReport(event: EndpointReport): string {
  switch (event.kind) {
    case 'withheld':
    case 'unreadable':
      return `webhooks of a session are not sent: ${event.message}`;
    case 'givenUp':
      return 'the endpoint has refused a message for three days. Senders give the message up; `paysession webhooks replay` sends it again';
    case 'down':
      return 'the endpoint refuses all webhooks: senders try one message at a time';
    case 'up':
      return 'the endpoint receives webhooks again';
    case 'failing':
      return 'the endpoint gets no webhooks any more: fix the endpoint, then send the missed webhooks with `paysession webhooks replay`';
    case 'opsRefused':
      return 'the endpoint refuses a message for operators: the sender tries again every few seconds';
    case 'differs':
      return 'another sender has the endpoint with another URL, other secrets or other filters: give all senders the same settings';
    case 'away':
      return `webhooks wait: ${event.message}`;
    case 'notCleaned':
      return `old deliveries are not removed from the ledger: ${event.message}`;
  }
}
