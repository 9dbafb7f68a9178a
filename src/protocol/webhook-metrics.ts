import type { MetricRow } from './temporal/telemetry';

/**
 * The metrics of webhook endpoints. Each sender of webhooks shows them: a worker, or
 * `paysession webhooks send`.
 */
export const WEBHOOK_METRICS = {
  deliveries: {
    name: 'paysession_webhook_deliveries_total',
    type: 'counter',
    labels: ['endpoint', 'outcome'],
    meaning:
      'Attempts of this sender to send messages about sessions to a webhook endpoint, by `outcome`: `delivered`, `refused` (sent again for three days), `withheld` (nothing was sent, because the session’s entries in the ledger were changed) or `unreadable` (nothing was sent, because the sender lacks the session’s encryption key).',
  },
  waiting: {
    name: 'paysession_webhook_waiting',
    type: 'gauge',
    labels: ['endpoint'],
    meaning:
      'Sessions with webhooks that the endpoint has not received yet. Every sender reports the same number: take the maximum, not the sum.',
  },
  waits: {
    name: 'paysession_webhook_waits_seconds',
    type: 'gauge',
    labels: ['endpoint'],
    meaning: 'Age in seconds of the oldest webhook that the endpoint has not received yet; 0 if none waits.',
  },
  failing: {
    name: 'paysession_webhook_endpoint_failing',
    type: 'gauge',
    labels: ['endpoint'],
    meaning:
      '1 if senders no longer try the endpoint, because it was down for three days or answered that it is gone, else 0.',
  },
} as const satisfies Record<string, MetricRow>;

/** The interval at which a sender reads the state of its endpoints. */
export const LOOK_AT_ENDPOINTS_EVERY_MS = 5_000;

/** The part of an endpoint's state that its metrics show. */
export interface ShownEndpoint {
  readonly state: string;
  readonly waiting: number;
  /** The time of the oldest waiting webhook; ISO 8601. */
  readonly waitsSince?: string;
}

/** Returns the values of an endpoint's gauges. */
export function gaugesOf({ state, waiting, waitsSince }: ShownEndpoint, nowMs: number) {
  const waitsMs = waitsSince === undefined ? 0 : nowMs - Date.parse(waitsSince);
  return [
    [WEBHOOK_METRICS.waiting, waiting],
    [WEBHOOK_METRICS.waits, Math.max(0, Math.round(waitsMs / 1_000))],
    [WEBHOOK_METRICS.failing, state === 'failing' ? 1 : 0],
  ] as const;
}
