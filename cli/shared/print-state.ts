import { explain } from '../../src/errors';
import type { Decision } from '../../src/protocol/recorded';
import type { SessionState } from '../../src/protocol/session';
import { formatState, oneLine, printLine } from './output';

/** A session's state as lines of name and value. */
export function printState(state: SessionState): void {
  const { cancel, trouble, failure, paid } = state;
  const lines: readonly (readonly [string, string | number | null | undefined])[] = [
    ['key', state.key],
    ['phase', state.phase],
    ['state', formatState(state)],
    ['paid', paid ? 'yes' : 'no'],
    ['kind', state.kind],
    ['reference', state.referenceId],
    ['amount', state.amount],
    ['session id', state.sessionId],
    ['checkout', state.checkoutUrl],
    ['cancel', cancel && `${cancel.outcome ?? 'asked'} (by ${cancel.by}, ${cancel.requestedAt})`],
    ['unsigned', state.unsigned && 'the PAD agreement was not signed in time'],
    ['trouble', trouble && `${trouble.code}: ${explain(trouble)}`],
    ['waits until', trouble?.until],
    ['failure', failure && `${failure.code}: ${explain(failure)}`],
    ...state.anomalies.map(({ kind, detail, at }) => ['anomaly', `${kind}: ${detail} (${at})`] as const),
    ...state.decisions.map((decision) => ['decision', formatDecision(decision)] as const),
  ];
  for (const [name, value] of lines)
    if (value != null) printLine(`${name.padEnd(11)} ${oneLine(String(value))}`);
}

/** `retry by avery: applied, "not there" (2031-05-06T14:03:21.114Z)` */
function formatDecision({ decision, sessionId = '', by, reason, result, at }: Decision): string {
  const what = `${decision} ${sessionId}`.trimEnd();
  return `${what}${by === undefined ? '' : ` by ${by}`}: ${result}${reason === undefined ? '' : `, "${reason}"`} (${at})`;
}
