import { InvalidArgumentError } from 'commander';

/** Readers of options' values; each refuses a bad one with what it must be. */

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`must be a whole number from ${minimum} to ${maximum}.`);
  };
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const LONGEST_MS = 365 * 86_400_000;

/** A duration such as `90s` or `15m`, in milliseconds. */
export function duration(text: string): number {
  const [, digits, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS_MS[unit ?? ''] ?? NaN);
  if (ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgumentError('must be a duration up to 365d, such as 500ms, 90s, 15m or 24h.');
}

/** An http or https URL, without a slash at its end. */
export function webUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (['http:', 'https:'].includes(protocol) && !/[?#]/.test(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('must be an http or https URL, such as https://pay.example.');
}
