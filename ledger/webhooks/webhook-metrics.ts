import { gaugesOf, WEBHOOK_METRICS } from '../../src/protocol/webhook-metrics';
import { metricText, type MetricSample } from '../metrics-text';
import type { EndpointStanding } from './endpoints';
import type { DeliveryEvent } from './delivery-event';

/** Counts what a sender tells, in Prometheus' form. */
export class WebhookMetrics {
  readonly #deliveries: ReadonlyMap<string, { delivered: number; refused: number; withheld: number }>;
  /** How endpoints are doing, as it was seen last. */
  standings: readonly EndpointStanding[] = [];

  /** Takes the names of the endpoints that the sender has. */
  constructor(endpoints: readonly string[]) {
    this.#deliveries = new Map(
      endpoints.map((endpoint) => [endpoint, { delivered: 0, refused: 0, withheld: 0 }]),
    );
  }

  count(event: DeliveryEvent): void {
    if (event.kind !== 'delivered' && event.kind !== 'refused' && event.kind !== 'withheld') return;
    const counts = this.#deliveries.get(event.endpoint);
    if (counts !== undefined) counts[event.kind] += 1;
  }

  /** All of them, as `/metrics` answers. */
  text(): string {
    const gauges = this.standings.flatMap((standing) =>
      gaugesOf(standing, Date.now()).map(([row, value]) => ({
        row,
        sample: [value, { endpoint: standing.name }] as const,
      })),
    );
    const { deliveries, waiting, waits, failing } = WEBHOOK_METRICS;
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
