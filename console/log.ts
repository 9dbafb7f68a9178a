import type { Operator } from './access/access';

/** An action of a person, or an attempt at one, for the log. */
export interface LogEntry {
  /** `undefined` if unknown. */
  readonly operator: Operator | undefined;
  /** The action's name, such as `look`, `cancel` or `login`. */
  readonly act: string;
  /** The session's key; absent if there is no session. */
  readonly key?: string;
  /** The result, without personal data. */
  readonly result: string;
  /** The filter of a list, such as `money=settled account=west`. */
  readonly filter?: Readonly<Record<string, string>>;
}

/** Formats a line of the log: time, person, role, action, session, result, filter. */
export function logLine({ operator, act, key, result, filter = {} }: LogEntry): string {
  const { name, role } = operator ?? {};
  const narrowed = Object.entries(filter).map(([field, value]) => `${field}=${word(value)}`);
  return [new Date().toISOString(), word(name), word(role), act, word(key), result, ...narrowed].join(' ');
}

/** Formats a text as one word, so that user input cannot begin another column or line. */
function word(text = '-'): string {
  return /^[\w@.:/+-]+$/.test(text) ? text : JSON.stringify(text);
}
