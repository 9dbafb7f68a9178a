import type { OpsKind, WebhookKind } from '../../src/protocol/webhooks';

/** A message that was sent to an endpoint. */
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
   * The session's webhooks are not sent for now. `withheld`: the session was tampered with in the ledger, and a sender reads it again
   * after an hour. `unreadable`: this sender cannot decrypt the session, and a sender reads it again after a minute.
   */
  | {
      readonly kind: 'withheld' | 'unreadable';
      readonly endpoint: string;
      readonly key: string;
      readonly code: string;
      readonly message: string;
    }
  /**
   * The sender gives up a message, after three days of refusals or because `WebhookPost` reports `isGivenUp`. An operator can send it
   * again.
   */
  | { readonly kind: 'givenUp'; readonly endpoint: string; readonly key: string; readonly outcome: string }
  /**
   * The endpoint has refused messages of several sessions in a row, or answers that it is gone (410) while senders have it with different
   * settings. Senders then try one session at a time.
   */
  | { readonly kind: 'down'; readonly endpoint: string; readonly outcome: string }
  | { readonly kind: 'up'; readonly endpoint: string }
  /** The endpoint was down for three days, or answers that it is gone (410). Senders no longer try it. */
  | { readonly kind: 'failing'; readonly endpoint: string; readonly outcome: string }
  /** The endpoint refuses a message for operators. The sender tries again every few seconds while the reported condition lasts. */
  | {
      readonly kind: 'opsRefused';
      readonly endpoint: string;
      readonly type: OpsKind;
      readonly outcome: string;
    }
  /** Another running sender has this endpoint with other settings. */
  | { readonly kind: 'differs'; readonly endpoint: string }
  /** The ledger, or the source of its encryption keys, cannot be used. The sender tries again. */
  | { readonly kind: 'away'; readonly code: string; readonly message: string }
  /** Old deliveries and passing endpoints (`isPassing`) cannot be removed. The sender still sends webhooks, and tries the removal again. */
  | { readonly kind: 'notCleaned'; readonly code: string; readonly message: string };

/** An event other than an answer to a session's message. */
export type EndpointReport = Exclude<DeliveryEvent, { readonly kind: 'delivered' | 'refused' }>;

/** Describes a report for logs and terminals, which show the endpoint and its answer separately. */
export function describeReport(event: EndpointReport): string {
  switch (event.kind) {
    case 'withheld':
    case 'unreadable':
      return `webhooks of a session are not sent: ${event.message}`;
    case 'givenUp':
      return `senders give up a message that the endpoint refuses: \`paysession webhooks replay --endpoint ${event.endpoint}\` sends it again`;
    case 'down':
      return 'the endpoint refuses all webhooks: senders try one session at a time';
    case 'up':
      return 'the endpoint receives webhooks again';
    case 'failing':
      return `the endpoint gets no webhooks any more: fix it, then send the missed webhooks with \`paysession webhooks replay --endpoint ${event.endpoint}\``;
    case 'opsRefused':
      return 'the endpoint refuses a message for operators: the sender tries again every few seconds';
    case 'differs':
      return 'another sender has the endpoint with another URL, other secrets or other options: give all senders the same settings';
    case 'away':
      return `webhooks wait: ${event.message}`;
    case 'notCleaned':
      return `old deliveries are not removed from the ledger: ${event.message}`;
  }
}
