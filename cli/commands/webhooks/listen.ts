import { randomBytes } from 'node:crypto';
import { webhookPost, sendWebhooks, type WebhookEvent, type WebhookKind } from '../../../ledger';
import type { WebhookEndpoint } from '../../../src/settings';
import { abortOnSignal } from '../../shared/until-signal';
import {
  formatState,
  oneLine,
  printJsonLine,
  printLine,
  printProgress,
  printWarning,
  type JsonLinesOption,
} from '../../shared/output';
import { checkForWebhooks, withLedger } from '../../shared/ledger';
import { checkHere, forwardSecret, type ForwardSecretOptions } from './forward';
import { newSecret } from './new-secret';
import { printDelivery } from './send';
import type { DeliveryEvent } from '../../../ledger/webhooks/delivery-event';
import type { Delivery, WebhookMessage } from '../../../ledger/webhooks/post';

export interface ListenOptions extends JsonLinesOption, ForwardSecretOptions {
  readonly forward?: string;
  readonly retry?: true;
  readonly kind?: readonly WebhookKind[];
  readonly account?: readonly string[];
}

/**
 * Prints webhooks until Ctrl-C. With `--forward`, also forwards them. Throws `SettingsError` and `PaysessionError` `INVALID_FILE`. If the ledger
 * cannot be used, throws the ledger's error.
 */
export async function listenUntilSignal(options: ListenOptions): Promise<void> {
  const { forward, kind, account, retry } = options;
  if (forward !== undefined) checkHere('--forward', forward, 'for others, set PAYSESSION_WEBHOOK_URL');
  const secret = forward === undefined ? newSecret() : await forwardSecret(options);
  const endpoint: WebhookEndpoint = {
    name: `listen-${randomBytes(4).toString('hex')}`,
    url: forward ?? 'http://127.0.0.1/',
    secrets: [secret],
    kinds: kind,
    accounts: account,
  };
  const signal = abortOnSignal();
  const http = webhookPost({ allowsLoopback: true });
  await withLedger(async (ledger) => {
    await checkForWebhooks(ledger);
    printProgress(`Listening to webhooks of the environment ${ledger.environment}. Ctrl-C stops this.`);
    if (forward !== undefined) printProgress(`Forwarding to ${forward}, signed with ${secret}`);
    try {
      await sendWebhooks({
        ledger,
        endpoints: [endpoint],
        post: {
          send: async (_endpoint, message): Promise<Delivery> => {
            const event = printMessage(message, options);
            if (forward === undefined) return { delivered: true, outcome: 'printed' };
            const answer = await http.send(endpoint, message);
            if (answer.delivered) return answer;
            const which = `${message.id} (${event.type} of ${oneLine(event.data.key)})`;
            printWarning(`${forward} refused ${which}: ${answer.outcome}; ${retry ? RETRIED : NOT_RETRIED}`);
            return retry ? answer : { ...answer, isGivenUp: true };
          },
          close: () => http.close(),
        },
        onEvent: (event) => {
          if (!NOT_PRINTED.has(event.kind)) printDelivery(event, options);
        },
        isPassing: true,
        signal,
      });
    } finally {
      await http.close();
      await ledger.webhookEndpoints.forget(endpoint.name).catch(() => undefined);
    }
  });
}

/** The events that are not printed, because each is about a single message. `printMessage` prints the message, and a warning reports a refusal. */
const NOT_PRINTED: ReadonlySet<DeliveryEvent['kind']> = new Set(['delivered', 'refused', 'givenUp']);

const RETRIED = 'it is tried again';
const NOT_RETRIED = 'it is not tried again, because --retry is not set';

/** Prints a message. Returns the message's event. */
function printMessage({ id, body }: WebhookMessage, { jsonl }: JsonLinesOption): WebhookEvent {
  const event = JSON.parse(body) as WebhookEvent;
  const { type, timestamp, data } = event;
  if (jsonl) printJsonLine({ id, ...event });
  else printLine(`${timestamp}  ${type.padEnd(WIDEST)}  ${oneLine(data.key)}  ${formatState(data.state)}`);
  return event;
}

const WIDEST = 'session.state_changed'.length;
