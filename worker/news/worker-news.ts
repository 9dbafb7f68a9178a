import type { MetricMeter } from '@temporalio/common';
import type { NewsEvent, PaymentLedger } from '../../ledger';
import { gaugesOf, LOOK_AT_ENDPOINTS_EVERY_MS, NEWS_METRICS } from '../../src/protocol/news-metrics';
import type { NewsSettings } from '../../src/settings';
import { instrumentsOf, type Instruments } from '../observing/instruments';
import { WORKER_METRICS } from '../observing/metrics-table';
import { repeatUntil } from '../repeat-until';

/** Says in the log what somebody has to know of endpoints. */
export interface NewsLog {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** What a worker has to send news with. */
export interface WorkerNews extends NewsSettings {
  readonly ledger: PaymentLedger;
  readonly log: NewsLog;
  readonly meter: MetricMeter;
}

/** Sends news beside the worker, until it is stopped: what is under way ends first. */
export function startNews({ ledger, endpoints, allowsLoopback, log, meter }: WorkerNews): {
  stop(): Promise<void>;
} {
  const over = new AbortController();
  const { signal } = over;
  const instruments = instrumentsOf(meter);
  const sending = send();
  void repeatUntil(signal, async () => {
    const standings = await ledger.newsEndpoints.all().catch(() => []);
    for (const standing of standings)
      for (const [row, value] of gaugesOf(standing, Date.now()))
        instruments.set(row, value, { endpoint: standing.name });
    return LOOK_AT_ENDPOINTS_EVERY_MS;
  });
  return {
    stop: async () => {
      over.abort();
      await sending;
    },
  };

  async function send(): Promise<void> {
    // Loaded here, because a worker that sends no news needs none of it.
    const { newsPost, sendNews } = await import('../../ledger/index.js');
    const post = newsPost({ allowsLoopback });
    const onEvent = (event: NewsEvent): void => {
      count(instruments, event);
      tell(log, event);
    };
    await sendNews({ ledger, endpoints, post, onEvent, signal });
    await post.close();
  }
}

function count({ add, record }: Instruments, event: NewsEvent): void {
  if (event.kind !== 'delivered' && event.kind !== 'refused' && event.kind !== 'withheld') return;
  const { endpoint, kind: outcome } = event;
  add(NEWS_METRICS.deliveries, 1, { endpoint, outcome });
  if (event.kind === 'delivered') record(WORKER_METRICS.newsDeliveryDelay, event.afterMs, { endpoint });
}

/** Messages one by one are counted and not logged. */
function tell(log: NewsLog, event: NewsEvent): void {
  switch (event.kind) {
    case 'delivered':
    case 'refused':
      return;
    case 'withheld':
      log.error(`news of a session is not sent: ${event.message}`, {
        endpoint: event.endpoint,
        code: event.code,
      });
      return;
    case 'givenUp':
      log.error('an endpoint has refused a message for three days: it is given up', {
        endpoint: event.endpoint,
        outcome: event.outcome,
      });
      return;
    case 'down':
      log.warn('an endpoint refuses all news: one message at a time is tried', {
        endpoint: event.endpoint,
        outcome: event.outcome,
      });
      return;
    case 'up':
      log.info('an endpoint takes news again', { endpoint: event.endpoint });
      return;
    case 'failing':
      log.error(
        'an endpoint gets no news any more: fix it, then send what it missed with `paysession news replay`',
        { endpoint: event.endpoint, outcome: event.outcome },
      );
      return;
    case 'differs':
      log.warn(
        'another sender has this endpoint with another URL, other secrets or other filters: give all of them the same',
        {
          endpoint: event.endpoint,
        },
      );
      return;
    case 'away':
      log.warn(`news waits: ${event.message}`, { code: event.code });
  }
}
