import { webhookPost, sendWebhooks, type DeliveryEvent } from '../../../ledger';
import { WebhookMetrics } from '../../../ledger/webhooks/webhook-metrics';
import { LOOK_AT_ENDPOINTS_EVERY_MS } from '../../../src/protocol/webhook-metrics';
import { SettingsError } from '../../../src/errors';
import { readWebhooks, type WebhookSettings } from '../../../src/settings';
import { repeatUntil } from '../../../worker/health/health-check';
import { serveMetrics } from '../../shared/http-servers';
import { abortOnSignal } from '../../shared/until-signal';
import { warnOfExposedFiles } from '../../shared/settings-warnings';
import { oneLine, printJsonLine, printLine, printProgress, type JsonLinesOption } from '../../shared/output';
import { checkUnlessAway, withLedger } from '../../shared/ledger';

export interface SendOptions extends JsonLinesOption {
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Throws `SettingsError`, `PaysessionError` `INVALID_FILE` or `PORT_IN_USE`, and the ledger's error if it cannot be used. */
export async function sendUntilSignal(options: SendOptions): Promise<void> {
  const { endpoints, allowsLoopback } = requiredWebhooks();
  warnOfExposedFiles();
  const signal = abortOnSignal();
  await withLedger(async (ledger) => {
    await checkUnlessAway(ledger);
    const names = endpoints.map(({ name }) => name);
    const metrics = new WebhookMetrics(names);
    const server = await serveMetrics(options, () => metrics.text());
    const post = webhookPost({ allowsLoopback });
    try {
      printProgress(`Sending webhooks of ${ledger.environment} to ${names.join(', ')}. Ctrl-C stops it.`);
      const onEvent = (event: DeliveryEvent): void => {
        metrics.count(event);
        printEvent(event, options);
      };
      if (server !== undefined)
        void repeatUntil(signal, async () => {
          // While the ledger is unavailable, the sender reports that, and the metrics keep their last values.
          metrics.standings = await ledger.webhookEndpoints.all().catch(() => metrics.standings);
          return LOOK_AT_ENDPOINTS_EVERY_MS;
        });
      await sendWebhooks({ ledger, endpoints, post, onEvent, signal });
    } finally {
      await post.close();
      await server?.close();
    }
  });
}

function requiredWebhooks(): WebhookSettings {
  const webhooks = readWebhooks();
  if (webhooks !== undefined) return webhooks;
  const message =
    'is missing: set it with PAYSESSION_WEBHOOK_SECRET, or name a file of endpoints in PAYSESSION_WEBHOOK_FILE';
  throw new SettingsError([{ path: 'PAYSESSION_WEBHOOK_URL', message }]);
}

export function printEvent(event: DeliveryEvent, { jsonl }: JsonLinesOption): void {
  const at = new Date().toISOString();
  if (jsonl) printJsonLine({ at, ...event });
  else printLine(`${at}  ${textOf(event)}`);
}

function textOf(event: DeliveryEvent): string {
  switch (event.kind) {
    case 'delivered':
      return `${event.endpoint}  ${event.type}  ${oneLine(event.key)}`;
    case 'refused':
      return `${event.endpoint}  ${event.type}  ${oneLine(event.key)}  refused: ${event.outcome}; it is tried again`;
    case 'withheld':
      return `${event.endpoint}  ${oneLine(event.key)}  NOT SENT: ${oneLine(event.message)}`;
    case 'givenUp':
      return `${event.endpoint} has refused a webhook of ${oneLine(event.key)} for three days (${event.outcome}): it is given up. \`paysession webhooks replay\` sends it again.`;
    case 'down':
      return `${event.endpoint} refuses all webhooks (${event.outcome}): one message at a time is tried.`;
    case 'up':
      return `${event.endpoint} receives webhooks again.`;
    case 'failing':
      return `${event.endpoint} GETS NO WEBHOOKS ANY MORE (${event.outcome}): fix it, then run \`paysession webhooks replay --endpoint ${event.endpoint}\`.`;
    case 'differs':
      return `Another sender has ${event.endpoint} with another URL, other secrets or other filters: give all of them the same.`;
    case 'away':
      return `Webhooks wait: ${event.message}`;
  }
}
