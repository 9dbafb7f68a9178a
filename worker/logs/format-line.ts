import type { LogFormat } from '../../src/settings';
import type { LogLine } from './log-line';

/** Anything that would break the line or that a terminal would act on. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** A text that needs no quotes. */
const WORD = /^[^\s"=]+$/;

/** A line as it is written, without its end: a JSON object, or text for a person. */
export function formatLine({ time, level, message, fields }: LogLine, format: LogFormat): string {
  const at = time.toISOString();
  if (format === 'json') return JSON.stringify({ time: at, level: level.toLowerCase(), message, ...fields });
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return [at, level.padEnd(5), visible(message), ...pairs].join(' ');
}

const quoted = (text: string): string => (WORD.test(text) ? visible(text) : visible(JSON.stringify(text)));

const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
