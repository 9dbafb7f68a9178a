import { isRecord } from '../../contract/values/json';
import { DEFAULT_ACCOUNT } from '../../protocol/names';
import { shownName } from '../../contract/values/text';
import type { PaymentSessionInput } from '../../protocol/input';

/** More differences than this need no list. */
const MAX_LISTED = 10;

/** The paths at which two inputs ask for different payments, without their values: `request.payor.email`. */
export function differingPaths(one: PaymentSessionInput, other: PaymentSessionInput): readonly string[] {
  const accounts = [one, other].map(({ account }) => account ?? DEFAULT_ACCOUNT);
  const paths = differencesIn('request', one.request, other.request);
  return [...(accounts[0] === accounts[1] ? [] : ['account']), ...paths].slice(0, MAX_LISTED);
}

function differencesIn(path: string, one: unknown, other: unknown): readonly string[] {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesIn(`${path}.${shownName(name)}`, one[name], other[name]));
}
