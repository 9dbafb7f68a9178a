/** A duration: a number of milliseconds, or a text such as `'90s'`, `'15m'` or `'2d'`. At most 366 days. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The form of a duration as text: a number and a unit. */
export const DURATION_FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** The longest accepted duration: 366 days. */
const MAX_DURATION_MS = 366 * 86_400_000;

/**
 * Returns the milliseconds of a duration. Returns `undefined` for a value that is not a duration, is negative, or is above 366
 * days.
 */
export function toMilliseconds(duration: unknown): number | undefined {
  if (typeof duration === 'number') return inRange(duration);
  if (typeof duration !== 'string') return undefined;
  const [, digits, unit] = DURATION_FORM.exec(duration) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  return inRange(Number(digits) * (UNIT_MS[unit] ?? Number.NaN));
}

function inRange(milliseconds: number): number | undefined {
  return milliseconds >= 0 && milliseconds <= MAX_DURATION_MS ? Math.round(milliseconds) : undefined;
}
