import { InvalidArgumentError } from 'commander';
import { toMilliseconds } from '../../src/protocol/duration';

/** Readers of options' values; each refuses a bad one with what it must be. */

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`must be a whole number from ${minimum} to ${maximum}.`);
  };
}

const LONGEST_MS = 365 * 86_400_000;

/** A duration such as `90s` or `15m`, in milliseconds. */
export function duration(text: string): number {
  const milliseconds = toMilliseconds(text) ?? 0;
  if (milliseconds >= 1 && milliseconds <= LONGEST_MS) return milliseconds;
  throw new InvalidArgumentError('must be a duration up to 365d, such as 500ms, 90s, 15m or 24h.');
}

/** An http or https URL, without a slash at its end. */
export function webUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (['http:', 'https:'].includes(protocol) && !/[?#]/.test(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('must be an http or https URL, such as https://pay.example.');
}
