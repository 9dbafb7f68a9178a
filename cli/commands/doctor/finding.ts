import { ERROR_CODES, explain, isPaysessionError, type ErrorCode } from '../../../src/errors';

/** The result of one check. If it is not `ok`, `fix` says what to do. A finding that is `ok` and has a `fix` is a note. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
  /** Commands that fix the problem or show more about it, in their order, as a shell takes them. */
  readonly commands?: readonly string[];
}

/** Returns the severity of a finding: doctor exits with an error for a `fault`; a `note` may need an operator's attention. */
export const levelOf = ({ ok, fix }: Finding): 'ok' | 'note' | 'fault' =>
  ok ? (fix === undefined ? 'ok' : 'note') : 'fault';

/** Returns a text with the first `most` names, and the number of the others. @param count the number of all, if `names` lacks some */
export function firstOf(names: readonly string[], most: number, count = names.length): string {
  const named = names.slice(0, most);
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
}

/** Returns the finding of a check that failed. @param code the error code to use if the error itself has none */
export function miss(subject: string, error: unknown, code: ErrorCode): Finding {
  const known = isPaysessionError(error);
  const said = known ? explain(error) : error instanceof Error ? error.message : String(error);
  const fix = ERROR_CODES[known ? error.code : code].remedy;
  return { subject, ok: false, found: said.replace(` ${fix}`, '').trim(), fix };
}
