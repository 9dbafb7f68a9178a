import { explain } from '../../../src/errors';
import type { SessionState } from '../../../src/protocol/state/session';
import { ago, formatDecision } from './decisions';
import { formatState, oneLine, printLine } from '../screen/output';
import { styleOf } from './styled-state';
import { colorsOf, wrapped } from '../screen/terminal';

type Style = (text: string) => string;
type Line = readonly [name: string, value: string | number | null | undefined, style?: Style];

const NAME_WIDTH = 11;

/** A session's state as lines of name and value. */
export function printState(state: SessionState): void {
  const { cancel, trouble, failure, paid } = state;
  const { cyan, red, yellow, dim } = colorsOf(process.stdout);
  // It failed before the service had it.
  const shown =
    failure !== undefined && state.status === undefined
      ? { status: 'failed', code: failure.code, paid }
      : state;
  const lines: readonly Line[] = [
    ['key', state.key],
    ['phase', state.phase, state.phase === 'parked' ? yellow : String],
    ['state', formatState(shown), styleOf(state)],
    ['paid', paid ? 'yes' : 'no', styleOf(state)],
    ['kind', state.kind],
    ['reference', state.referenceId],
    ['amount', state.amount],
    ['session id', state.sessionId],
    ['checkout', state.checkoutUrl, cyan],
    [
      'cancel',
      cancel &&
        `${cancel.outcome ?? 'requested'} (by ${cancel.by}, ${cancel.requestedAt}${ago(cancel.requestedAt)})`,
    ],
    ['unsigned', state.unsigned && 'the PAD agreement was not signed in time'],
    [
      'unverified',
      state.unverified &&
        'the payment service could not be checked after the deadline: it may have been paid',
      yellow,
    ],
    ['trouble', trouble && `${trouble.code}: ${explain(trouble)}`, yellow],
    ['waits until', trouble?.until && `${trouble.until}${ago(trouble.until)}`],
    ['failure', failure && `${failure.code}: ${explain(failure)}`, red],
    ...state.anomalies.map(
      ({ kind, detail, at }) => ['anomaly', `${kind}: ${detail} (${at}${ago(at)})`, yellow] as const,
    ),
    ...state.decisions.map((decision) => ['decision', formatDecision(decision)] as const),
  ];
  for (const [name, value, style = String] of lines) {
    if (value == null) continue;
    const text = wrapped(oneLine(String(value)), process.stdout, NAME_WIDTH + 1);
    printLine(`${dim(name.padEnd(NAME_WIDTH))} ${style(text)}`);
  }
}
