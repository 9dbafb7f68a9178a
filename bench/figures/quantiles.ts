/** The distribution of a set of values. `count` shows how reliable the rest is. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Returns the value below which a share of the values lies, by the nearest rank: always one of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is no quantile of no values');
  return value;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('there is no mean of no values');
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function spread(values: readonly number[]): Spread {
  return {
    count: values.length,
    mean: mean(values),
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    p99: quantile(values, 0.99),
  };
}
