import { isRecord } from '../../src/contract/values/json';

/**
 * Returns the numbers of a JSON value by their paths. For example, the path of 3 in `{ delayMs: { p50: 3 } }` is
 * `delayMs.p50`.
 */
export function numbersOf(value: unknown, path = ''): ReadonlyMap<string, number> {
  if (typeof value === 'number') return new Map([[path, value]]);
  if (!isRecord(value)) return new Map();
  const prefix = path === '' ? '' : `${path}.`;
  return new Map(Object.entries(value).flatMap(([name, member]) => [...numbersOf(member, prefix + name)]));
}
