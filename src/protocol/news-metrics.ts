import type { MetricRow } from './temporal/telemetry';

/** What each sender shows of the endpoints of news, a worker or `paysession news send`. */
export const NEWS_METRICS = {
  deliveries: {
    name: 'paysession_news_deliveries_total',
    type: 'counter',
    labels: ['endpoint', 'outcome'],
    meaning:
      'Messages that this sender has sent to an endpoint of news, by `outcome`: `delivered` or `refused`. What is refused is tried again for three days. `withheld`: the ledger’s record of a session was changed, so nothing of it was sent.',
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
      '1 if senders no longer try the endpoint, because it was down for three days or said that it is gone; else 0.',
  },
} as const satisfies Record<string, MetricRow>;

/** How often a sender looks at how endpoints are doing. */
export const LOOK_AT_ENDPOINTS_EVERY_MS = 5_000;

/** The part of an endpoint's standing that is shown. */
export interface ShownEndpoint {
  readonly state: string;
  readonly waiting: number;
  /** ISO 8601. */
  readonly waitsSince?: string;
}

/** What the gauges show of an endpoint. */
export function gaugesOf({ state, waiting, waitsSince }: ShownEndpoint, nowMs: number) {
  const waitsMs = waitsSince === undefined ? 0 : nowMs - Date.parse(waitsSince);
  return [
    [NEWS_METRICS.waiting, waiting],
    [NEWS_METRICS.waits, Math.max(0, Math.round(waitsMs / 1_000))],
    [NEWS_METRICS.failing, state === 'failing' ? 1 : 0],
  ] as const;
}
