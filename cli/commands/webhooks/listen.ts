import { randomBytes } from 'node:crypto';
import { webhookPost, sendWebhooks, type WebhookEvent, type WebhookKind } from '../../../ledger';
import { leadsHere } from '../../../src/contract/values/loopback';
import { SettingsError } from '../../../src/errors';
import type { WebhookEndpoint } from '../../../src/settings';
import { isWebhookUrl } from '../../../src/settings/webhooks/address';
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
import { checkUnlessAway, withLedger } from '../../shared/ledger';
import { newSecret } from './new-secret';
import { printEvent } from './send';
import type { Delivery, WebhookMessage } from '../../../ledger/webhooks/post';

export interface ListenOptions extends JsonLinesOption {
  readonly forward?: string;
  readonly kind?: readonly WebhookKind[];
  readonly account?: readonly string[];
}

/** Throws `SettingsError`, and what the ledger says where it cannot be used. */
export async function listenUntilSignal(options: ListenOptions): Promise<void> {
  const { forward, kind, account } = options;
  if (forward !== undefined && !isHere(forward)) throw notHere();
  const secret = newSecret();
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
    await checkUnlessAway(ledger);
    printProgress(`Listening to webhooks of ${ledger.environment}. Ctrl-C stops it.`);
    if (forward !== undefined) printProgress(`Forwarding to ${forward}, signed with ${secret}`);
    try {
      await sendWebhooks({
        ledger,
        endpoints: [endpoint],
        post: {
          send: async (_endpoint, message): Promise<Delivery> => {
            printMessage(message, options);
            const answer = forward === undefined ? undefined : await http.send(endpoint, message);
            if (answer?.delivered === false) printWarning(`${forward} answered: ${answer.outcome}`);
            // Whoever develops a receiver starts it anew often: nothing waits for that.
            return { delivered: true, outcome: 'printed' };
          },
          close: () => http.close(),
        },
        onEvent: (event) => {
          if (event.kind === 'away' || event.kind === 'withheld') printEvent(event, options);
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

function printMessage({ id, body }: WebhookMessage, { jsonl }: JsonLinesOption): void {
  const event = JSON.parse(body) as WebhookEvent;
  if (jsonl) {
    printJsonLine({ id, ...event });
    return;
  }
  const { type, timestamp, data } = event;
  printLine(`${timestamp}  ${type.padEnd(WIDEST)}  ${oneLine(data.key)}  ${formatState(data.state)}`);
}

const WIDEST = 'session.state_changed'.length;

const isHere = (url: string): boolean => isWebhookUrl(url, true) && leadsHere(new URL(url).hostname);

function notHere(): SettingsError {
  const message =
    'must be a URL of this machine, such as http://localhost:3000/webhooks; for others, set PAYSESSION_WEBHOOK_URL';
  return new SettingsError([{ path: '--forward', message }]);
}
