import type { Operator } from './access/access';

/** Something that somebody did, or tried. */
export interface LogEntry {
  /** Absent where nobody knows. */
  readonly operator: Operator | undefined;
  /** Such as `look`, `cancel` or `login`. */
  readonly act: string;
  /** Of the session; absent where it is about none. */
  readonly key?: string;
  /** What came of it, without personal data. */
  readonly result: string;
}

/** A line of the log: time, who, role, act, session, result. */
export function logLine({ operator, act, key, result }: LogEntry): string {
  const { name, role } = operator ?? {};
  return [new Date().toISOString(), word(name), word(role), act, word(key), result].join(' ');
}

/** What is logged of an error that nobody foresaw: a message may quote what somebody has sent. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** A text as one word, so that nothing which somebody chose begins another column or another line. */
export function word(text = '-'): string {
  return /^[\w@.:/+-]+$/.test(text) ? text : JSON.stringify(text);
}
