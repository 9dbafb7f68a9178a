import { ERROR_CODES, explain, isPaysessionError, type ErrorCode } from '../../../src/errors';

/** The result of one check. If `ok` is false, there is a problem, and `fix` says what to do. If `ok` is true and there is a `fix`, it is a note. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
  /** Shell commands that fix the problem or show more about it, in the order in which to run them. */
  readonly commands?: readonly string[];
}

/** Returns the severity of a finding. A `fault` makes doctor exit with an error. A `note` may need an operator's attention. */
export const levelOf = ({ ok, fix }: Finding): 'ok' | 'note' | 'fault' =>
  ok ? (fix === undefined ? 'ok' : 'note') : 'fault';

/** Lists the first `most` names, and adds the number of the others. @param count the number of all names, if `names` does not have all of them */
export function firstOf(names: readonly string[], most: number, count = names.length): string {
  const named = names.slice(0, most);
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
}

/** Returns the finding about an error. @param code the error code to use if the error has none */
export function miss(subject: string, error: unknown, code: ErrorCode): Finding {
  const known = isPaysessionError(error);
  const said = known ? explain(error) : error instanceof Error ? error.message : String(error);
  const fix = ERROR_CODES[known ? error.code : code].remedy;
  return { subject, ok: false, found: said.replace(` ${fix}`, '').trim(), fix };
}
