import type { MetricRow } from '../../src/protocol/temporal/session-metrics';
import { metricText, type MetricSample } from '../metrics-text';
import type { EndpointStanding } from './endpoints';
import type { NewsEvent } from './news-event';

/** What each sender shows of the endpoints of news, a worker or `paysession news send`. */
export const NEWS_METRICS = {
  deliveries: {
    name: 'paysession_news_deliveries_total',
    type: 'counter',
    labels: ['endpoint', 'outcome'],
    meaning:
      'Messages that this sender has sent to an endpoint of news, by `outcome`: `delivered` or `refused`. What is refused is tried again for three days.',
  },
  waiting: {
    name: 'paysession_news_waiting',
    type: 'gauge',
    labels: ['endpoint'],
    meaning:
      'Sessions with news that the endpoint was not told yet. Every sender gives the same figure: take the maximum, not the sum.',
  },
  waits: {
    name: 'paysession_news_waits_seconds',
    type: 'gauge',
    labels: ['endpoint'],
    meaning: 'How long the oldest news has waited that the endpoint was not told yet; 0 where none waits.',
  },
  failing: {
    name: 'paysession_news_endpoint_failing',
    type: 'gauge',
    labels: ['endpoint'],
    meaning:
      '1 where no news is kept for the endpoint any more, since it was down for three days or said that it is gone; else 0.',
  },
} as const satisfies Record<string, MetricRow>;

/** How often a sender looks at how endpoints are doing. */
export const LOOK_AT_ENDPOINTS_EVERY_MS = 5_000;

/** What the gauges show of an endpoint. */
export function gaugesOf({ state, waiting, waitsSince }: EndpointStanding) {
  const waitsMs = waitsSince === undefined ? 0 : Date.now() - Date.parse(waitsSince);
  return [
    [NEWS_METRICS.waiting, waiting],
    [NEWS_METRICS.waits, Math.max(0, Math.round(waitsMs / 1_000))],
    [NEWS_METRICS.failing, state === 'failing' ? 1 : 0],
  ] as const;
}

/** Counts what a sender tells, in Prometheus' form. */
export class NewsMetrics {
  readonly #deliveries: ReadonlyMap<string, { delivered: number; refused: number }>;
  /** How endpoints are doing, as it was seen last. */
  standings: readonly EndpointStanding[] = [];

  /** Takes the names of the endpoints that the sender has. */
  constructor(endpoints: readonly string[]) {
    this.#deliveries = new Map(endpoints.map((endpoint) => [endpoint, { delivered: 0, refused: 0 }]));
  }

  count(event: NewsEvent): void {
    if (event.kind !== 'delivered' && event.kind !== 'refused') return;
    const counts = this.#deliveries.get(event.endpoint);
    if (counts !== undefined) counts[event.kind] += 1;
  }

  /** All of them, as `/metrics` answers. */
  text(): string {
    const gauges = this.standings.flatMap((standing) =>
      gaugesOf(standing).map(([row, value]) => ({
        row,
        sample: [value, { endpoint: standing.name }] as const,
      })),
    );
    const { deliveries, waiting, waits, failing } = NEWS_METRICS;
    return [
      metricText(deliveries, this.#delivered()),
      ...[waiting, waits, failing].map((row) =>
        metricText(
          row,
          gauges.filter((gauge) => gauge.row === row).map(({ sample }) => sample),
        ),
      ),
    ].join('');
  }

  #delivered(): readonly MetricSample[] {
    return [...this.#deliveries].flatMap(([endpoint, counts]) =>
      Object.entries(counts).map(([outcome, count]): MetricSample => [count, { endpoint, outcome }]),
    );
  }
}
