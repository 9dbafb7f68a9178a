import { sendWebhooks, webhookPost } from '../../../ledger';
import { metricText, type MetricSample } from '../../../ledger/metrics-text';
import { describeReport, type DeliveryEvent } from '../../../ledger/webhooks/delivery-event';
import type { MetricRow } from '../../../src/protocol/temporal/telemetry';
import { gaugesOf, LOOK_AT_ENDPOINTS_EVERY_MS, WEBHOOK_METRICS } from '../../../src/protocol/webhook-metrics';
import { SettingsError } from '../../../src/errors';
import { readWebhooks, type WebhookSettings } from '../../../src/settings';
import { serveMetrics } from '../../shared/http-servers';
import { abortOnSignal } from '../../shared/until-signal';
import { warnOfExposedFiles } from '../../shared/settings-warnings';
import { oneLine, printEvent, printProgress, type JsonLinesOption } from '../../shared/output';
import { checkForWebhooks, withLedger } from '../../shared/ledger';
import type { EndpointStanding } from '../../../ledger/webhooks/endpoints';
import { repeatUntil } from '../../../worker/repeat-until';

export interface SendOptions extends JsonLinesOption {
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/**
 * Sends webhooks until Ctrl-C. Throws `SettingsError`, and `PaysessionError` `INVALID_FILE`, `INVALID_SETTINGS` or `PORT_IN_USE`. If the ledger cannot be
 * used, throws the ledger's error.
 */
export async function sendUntilSignal(options: SendOptions): Promise<void> {
  const { endpoints, allowsLoopback } = requiredWebhooks();
  warnOfExposedFiles();
  const signal = abortOnSignal();
  await withLedger(async (ledger) => {
    await checkForWebhooks(ledger);
    const names = endpoints.map(({ name }) => name);
    const metrics = new WebhookMetrics(names);
    const server = await serveMetrics(options, () => metrics.text());
    const post = webhookPost({ allowsLoopback });
    try {
      printProgress(
        `Sending webhooks of the environment ${ledger.environment} to ${names.join(', ')}. Ctrl-C stops this.`,
      );
      const onEvent = (event: DeliveryEvent): void => {
        metrics.count(event);
        printDelivery(event, options);
      };
      if (server !== undefined)
        void repeatUntil(signal, async () => {
          // A failure is ignored here. The sender reports that the ledger is unavailable, and the metrics keep their last values.
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

/** Reads the settings for webhooks. Throws `SettingsError` if no endpoint is set, and the errors of `readWebhooks`. */
export function requiredWebhooks(): WebhookSettings {
  const webhooks = readWebhooks();
  if (webhooks !== undefined) return webhooks;
  const message =
    'is missing: set it with PAYSESSION_WEBHOOK_SECRET, or name a file of endpoints in PAYSESSION_WEBHOOK_FILE';
  throw new SettingsError([{ path: 'PAYSESSION_WEBHOOK_URL', message }]);
}

export function printDelivery(event: DeliveryEvent, options: JsonLinesOption): void {
  printEvent(event, textOf(event), options);
}

function textOf(event: DeliveryEvent): string {
  const about = [
    'endpoint' in event ? event.endpoint : [],
    'type' in event ? event.type : [],
    'key' in event ? oneLine(event.key) : [],
  ].flat();
  if (event.kind === 'delivered') return about.join('  ');
  if (event.kind === 'refused') return [...about, `refused: ${event.outcome}; it is tried again`].join('  ');
  const outcome = 'outcome' in event ? ` (${event.outcome})` : '';
  return [...about, `${oneLine(describeReport(event))}${outcome}`].join('  ');
}

type Outcome = 'delivered' | 'refused' | 'withheld' | 'unreadable';

/** The metrics of a sender of webhooks: the numbers of its events, and the states of the ledger's endpoints. */
class WebhookMetrics {
  readonly #deliveries: ReadonlyMap<string, Record<Outcome, number>>;
  /** The last known states of the endpoints. */
  standings: readonly EndpointStanding[] = [];

  /** @param endpoints the names of the sender's endpoints */
  constructor(endpoints: readonly string[]) {
    this.#deliveries = new Map(
      endpoints.map((endpoint) => [endpoint, { delivered: 0, refused: 0, withheld: 0, unreadable: 0 }]),
    );
  }

  count(event: DeliveryEvent): void {
    if (!('key' in event) || event.kind === 'givenUp') return;
    const counts = this.#deliveries.get(event.endpoint);
    if (counts !== undefined) counts[event.kind] += 1;
  }

  /** Returns the text of all metrics, for `/metrics`. */
  text(): string {
    const { deliveries, waiting, waits, failing } = WEBHOOK_METRICS;
    const counts = [...this.#deliveries].flatMap(([endpoint, outcomes]) =>
      Object.entries(outcomes).map(([outcome, count]): MetricSample => [count, { endpoint, outcome }]),
    );
    const gauges = this.standings.map((standing) => ({
      endpoint: standing.name,
      values: new Map<MetricRow, number>(gaugesOf(standing, Date.now())),
    }));
    const texts = [waiting, waits, failing].map((row) =>
      metricText(
        row,
        gauges.map(({ endpoint, values }) => [values.get(row) ?? 0, { endpoint }]),
      ),
    );
    return [metricText(deliveries, counts), ...texts].join('');
  }
}
