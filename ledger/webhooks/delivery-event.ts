import type { OpsKind, WebhookKind } from '../../src/protocol/webhooks';

/** A message that was sent to an endpoint. */
interface AnsweredMessage {
  readonly endpoint: string;
  readonly type: WebhookKind;
  readonly key: string;
  readonly id: string;
}

/** An event that a sender of webhooks reports. A sender is a process that delivers the messages in the ledger's outbox to endpoints. */
export type DeliveryEvent =
  | (AnsweredMessage & {
      readonly kind: 'delivered';
      /** The time from the recording of the entry to the endpoint's answer, in milliseconds. */
      readonly afterMs: number;
    })
  | (AnsweredMessage & { readonly kind: 'refused'; readonly outcome: string })
  /**
   * The session's webhooks are not sent for now. `withheld`: the session was tampered with in the ledger. A sender reads the session again after
   * an hour. `unreadable`: this sender cannot decrypt the session. A sender reads the session again after a minute.
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
   * The endpoint is down: it has refused messages of several sessions in a row. Or it answers that it is gone (410), and other senders have other
   * settings for it. Senders then try one session at a time.
   */
  | { readonly kind: 'down'; readonly endpoint: string; readonly outcome: string }
  | { readonly kind: 'up'; readonly endpoint: string }
  /** The endpoint was down for three days, or answers that it is gone (410). Senders stop trying it. */
  | { readonly kind: 'failing'; readonly endpoint: string; readonly outcome: string }
  /** The endpoint refuses a message for operators. While the condition that the message reports lasts, the sender tries again every few seconds. */
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
  /** Old deliveries, or temporary endpoints (`isPassing`), cannot be removed. The sender tries again, and meanwhile sends webhooks as usual. */
  | { readonly kind: 'notCleaned'; readonly code: string; readonly message: string };

/** An event that is not the answer to a single message about a session. */
export type EndpointReport = Exclude<DeliveryEvent, { readonly kind: 'delivered' | 'refused' }>;

/** Describes a report in words. The text omits the endpoint and its answer, because logs and terminals show them separately. */
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
