/** Statistics of a set of values. The larger `count` is, the more reliable are the others. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Returns a quantile. `share` is between 0 and 1: this share of the values is not larger than the quantile. Uses the
 * nearest rank, so that the quantile is always one of the values. Throws a `RangeError` if there are no values.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('a quantile needs at least one value');
  return value;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('a mean needs at least one value');
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
