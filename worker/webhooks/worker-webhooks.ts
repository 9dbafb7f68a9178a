import type { MetricTags } from '@temporalio/common';
import { Runtime, type Logger } from '@temporalio/worker';
import type { PaymentLedger } from '../../ledger';
import type { EndpointReport, DeliveryEvent } from '../../ledger/webhooks/delivery-event';
import type { EndpointStanding } from '../../ledger/webhooks/endpoints';
import { workflowIdOf } from '../../src/protocol/names';
import { gaugesOf, LOOK_AT_ENDPOINTS_EVERY_MS, WEBHOOK_METRICS } from '../../src/protocol/webhook-metrics';
import type { WebhookSettings } from '../../src/settings';
import { repeatUntil } from '../repeat-until';
import { instrumentsOf, type Instruments } from '../observing/instruments';
import { WORKER_METRICS } from '../observing/metrics-table';

/** Sends webhooks from the worker's process until `stop` is called. `stop` waits for the running deliveries. */
export function startWebhooks(
  ledger: PaymentLedger,
  { endpoints, allowsLoopback }: WebhookSettings,
  tags: MetricTags = {},
): { stop(): Promise<void> } {
  const over = new AbortController();
  const { signal } = over;
  const { logger, metricMeter } = Runtime.instance();
  const instruments = instrumentsOf(metricMeter.withTags(tags));
  // An alert watches for an increase of this counter. If the counter first appeared with the value 1, the alert would see none.
  for (const { name: endpoint } of endpoints)
    instruments.add(WEBHOOK_METRICS.deliveries, 0, { endpoint, outcome: 'withheld' });
  const sending = send();
  const names = new Set<string>();
  void repeatUntil(signal, async () => {
    const endpointsNow = await ledger.webhookEndpoints.all().catch(() => undefined);
    if (endpointsNow !== undefined) showEndpoints(instruments, endpointsNow, names);
    return LOOK_AT_ENDPOINTS_EVERY_MS;
  });
  return {
    stop: async () => {
      over.abort();
      await sending;
    },
  };

  async function send(): Promise<void> {
    // These modules are loaded here, because a worker that sends no webhooks does not need them.
    const { webhookPost, sendWebhooks } = await import('../../ledger/index.js');
    const { describeReport } = await import('../../ledger/webhooks/delivery-event.js');
    const post = webhookPost({ allowsLoopback });
    const onEvent = (event: DeliveryEvent): void => {
      count(instruments, event);
      if (isReport(event)) report(logger, event, describeReport(event));
    };
    await sendWebhooks({ ledger, endpoints, post, onEvent, signal });
    await post.close();
  }
}

/** Sets the gauges of all endpoints. `names` are those shown so far: an endpoint that an operator has forgotten since is shown as empty. */
export function showEndpoints(
  instruments: Pick<Instruments, 'set'>,
  endpoints: readonly EndpointStanding[],
  names: Set<string>,
): void {
  for (const { name } of endpoints) names.add(name);
  for (const name of names) {
    const endpoint = endpoints.find((one) => one.name === name) ?? { state: 'ok', waiting: 0 };
    for (const [row, value] of gaugesOf(endpoint, Date.now()))
      instruments.set(row, value, { endpoint: name });
  }
}

function count({ add, record }: Instruments, event: DeliveryEvent): void {
  if (!('key' in event) || event.kind === 'givenUp') return;
  const { endpoint, kind: outcome } = event;
  add(WEBHOOK_METRICS.deliveries, 1, { endpoint, outcome });
  if (event.kind === 'delivered') record(WORKER_METRICS.webhookDeliveryDelay, event.afterMs, { endpoint });
}

/** The log levels of reports. A report that is not listed is a warning. */
const LEVELS: Partial<Record<EndpointReport['kind'], 'error' | 'info'>> = {
  withheld: 'error',
  givenUp: 'error',
  failing: 'error',
  up: 'info',
};

/** True if the event is logged. The answer to a single delivery is only counted. */
const isReport = (event: DeliveryEvent): event is EndpointReport =>
  event.kind !== 'delivered' && event.kind !== 'refused';

/** Logs a report about an endpoint or a message. */
function report(logger: Logger, event: EndpointReport, message: string): void {
  logger[LEVELS[event.kind] ?? 'warn'](message, {
    ...('endpoint' in event && { endpoint: event.endpoint }),
    ...('key' in event && { workflowId: workflowIdOf(event.key) }),
    ...('code' in event && { code: event.code }),
    ...('outcome' in event && { outcome: event.outcome }),
  });
}
