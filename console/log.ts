import type { Operator } from './access/access';

/** Something that somebody did, or tried. */
export interface LogEntry {
  /** Absent where nobody knows. */
  readonly operator: Operator | undefined;
  /** Such as `look`, `cancel` or `login`. */
  readonly act: string;
  /** Of the session; absent where it is about none. */
  readonly key?: string;
  /** The result, without personal data. */
  readonly result: string;
  /** The filter of a list, such as `money=settled account=west`. */
  readonly filter?: Readonly<Record<string, string>>;
}

/** A line of the log: time, who, role, act, session, result, filter. */
export function logLine({ operator, act, key, result, filter = {} }: LogEntry): string {
  const { name, role } = operator ?? {};
  const narrowed = Object.entries(filter).map(([field, value]) => `${field}=${word(value)}`);
  return [new Date().toISOString(), word(name), word(role), act, word(key), result, ...narrowed].join(' ');
}

/** Returns the name under which an unexpected error is logged: its message may quote personal data. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** A text as one word, so that nothing which somebody chose begins another column or another line. */
function word(text = '-'): string {
  return /^[\w@.:/+-]+$/.test(text) ? text : JSON.stringify(text);
}
