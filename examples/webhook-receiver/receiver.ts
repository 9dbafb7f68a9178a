import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { WebhookEvent } from 'paysession/ledger';
import { Webhook } from 'standardwebhooks';

/** The data that a merchant keeps. In a database, write `messages` and the orders in one transaction. */
export interface Shop {
  /** The ids of the messages that have had their effect. */
  readonly messages: Set<string>;
  /** Delivers the order whose payment session has this key. */
  readonly deliver: (key: string) => void;
}

/**
 * Answers webhooks: verifies each message, ignores repeated ones, and delivers paid orders. The sender repeats a refused
 * message.
 */
export function webhookReceiver(secret: string, { messages, deliver }: Shop) {
  const webhook = new Webhook(secret);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let event: WebhookEvent;
    try {
      event = webhook.verify(await text(request), request.headers as Record<string, string>) as WebhookEvent;
    } catch {
      response.writeHead(401).end();
      return;
    }
    const id = String(request.headers['webhook-id']);
    if (!messages.has(id)) {
      if (event.type === 'session.paid') deliver(event.data.key);
      messages.add(id);
    }
    response.writeHead(204).end();
  };
}
