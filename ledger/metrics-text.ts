/** Writes metrics in Prometheus' text format, for a `/metrics` endpoint. */
import type { MetricRow } from '../src/protocol/temporal/telemetry';

/** A value of a metric, and the metric's labels. */
export type MetricSample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** Returns the text of a metric: a help line, a type line, and a line for each sample. */
export const metricText = ({ name, type, meaning }: MetricRow, samples: readonly MetricSample[]): string =>
  [
    `# HELP ${name} ${meaning}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([value, labels = {}]) => `${name}${labelText(labels)} ${value}`),
    '',
  ].join('\n');

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
