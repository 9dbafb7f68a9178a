/** What Temporal's UI and its lists show of a session: nothing personal, and nothing that the service may put a name into. */
import type { SessionRequest } from '../../contract/session-request';
import { problemsOf, remedyOf, type ProblematicState } from '../state/problems';
import { ASKED_AMOUNT, ASKED_DIRECTION } from '../names';
import { searchable } from './search-attributes';
import { sessionKind } from '../../contract/statuses';

/** One line that stays with a session: `EFT DEBIT 25 CAD`. */
export function startSummary(request: SessionRequest): string {
  const { direction, amount } = request;
  return [sessionKind(request), direction, amount, 'CAD'].filter((part) => part != null).join(' ');
}

/**
 * What a session's memo tells lists of its request, encrypted as the request is: the direction, and the amount where the payor does not
 * choose it.
 */
export function startMemo({ amount, direction }: SessionRequest): Readonly<Record<string, string>> {
  return { [ASKED_DIRECTION]: direction, ...(amount != null && { [ASKED_AMOUNT]: String(amount) }) };
}

/** What the current details tell. */
export interface SummarizedState extends ProblematicState {
  readonly status?: string;
  readonly code?: string;
}

/** Where a session stands, and what a person should do about each of its problems; Markdown. */
export function currentDetails(key: string, state: SummarizedState): string {
  const { phase, status, code, trouble } = state;
  const seen = [status, code].flatMap((text) => (text === undefined ? [] : [searchable(text)]));
  const head = [...seen, ...(phase === 'ended' && seen.length > 0 ? [] : [`(${phase})`])].join(' ');
  const problems = problemsOf(state).map((problem) => `- ${problem}: ${remedyOf(problem, key)}`);
  const next = trouble?.until === undefined ? '' : `, next call at ${trouble.until}`;
  const last = trouble === undefined ? [] : [`- last call: ${trouble.code}${next}`];
  return [head, ...problems, ...last].join('\n');
}
