import type { MetricMeter, MetricTags } from '@temporalio/common';
import type { MetricRow } from '../../src/protocol/temporal/telemetry';

/** Functions that write to metrics. Each takes a row of the table of metrics. */
export interface Instruments {
  /** Adds to a counter. */
  readonly add: (row: MetricRow & { readonly type: 'counter' }, value: number, labels?: MetricTags) => void;
  /** Sets a gauge. */
  readonly set: (row: MetricRow & { readonly type: 'gauge' }, value: number, labels?: MetricTags) => void;
  /** Adds a duration, in milliseconds, to a histogram of seconds. */
  readonly record: (row: MetricRow & { readonly type: 'histogram' }, ms: number, labels?: MetricTags) => void;
}

/** Returns functions that write to a meter's metrics. Each metric is created when it is first used. */
export function instrumentsOf(meter: MetricMeter): Instruments {
  const counter = once(({ name, meaning }) => meter.createCounter(name, '', meaning));
  const gauge = once(({ name, meaning }) => meter.createGauge(name, 'int', '', meaning));
  const histogram = once(({ name, meaning }) => meter.createHistogram(name, 'float', '', meaning));
  return {
    add: (row, value, labels) => {
      counter(row).add(value, labels);
    },
    set: (row, value, labels) => {
      gauge(row).set(value, labels);
    },
    record: (row, ms, labels) => {
      histogram(row).record(Math.max(0, ms) / 1_000, labels);
    },
  };
}

function once<T>(make: (row: MetricRow) => T): (row: MetricRow) => T {
  const made = new Map<string, T>();
  return (row) => {
    const one = made.get(row.name) ?? make(row);
    made.set(row.name, one);
    return one;
  };
}
