import { explain } from '../../../src/errors';
import { problemsOf, remedyOf, keyArgument } from '../../../src/protocol/state/problems';
import { standingOf } from '../../../src/protocol/state/standing';
import type { SessionState } from '../../../src/protocol/state/session';
import { ago, formatDecision } from './decisions';
import { formatMoney, formatState, oneLine, printLine } from '../screen/output';
import { styleOf } from './styled-state';
import { colorsOf, wrapped } from '../screen/terminal';
import { fullTime } from '../screen/time';

type Style = (text: string) => string;
type Line = readonly [name: string, value: string | number | null | undefined, style?: Style];

const NAME_WIDTH = 11;

/** What is known of a session besides its state; times are ISO 8601, UTC. */
export interface AboutSession {
  readonly account?: string;
  /** Absent for a session that has gone on in another run. */
  readonly startedAt?: string;
  /** When its status or code was first seen; absent until it is created. */
  readonly since?: string;
  readonly endedAt?: string;
}

/** A session's state as lines of name and value. */
export function printState(state: SessionState, about: AboutSession = {}): void {
  const { cancel, trouble, failure, paid } = state;
  const { bold, cyan, red, yellow, dim } = colorsOf(process.stdout);
  // It failed before the service had it.
  const shown =
    failure !== undefined && state.status === undefined
      ? { status: 'failed', code: failure.code, paid }
      : state;
  const time = (text: string) => fullTime(text, process.stdout);
  const lines: readonly Line[] = [
    ['key', state.key],
    ['phase', state.phase, state.phase === 'parked' ? yellow : String],
    ['state', formatState(shown), styleOf(state)],
    ['paid', paid ? 'yes' : 'no', styleOf(state)],
    ['started', about.startedAt && time(about.startedAt)],
    ['since', about.since && time(about.since)],
    ['ended', about.endedAt && time(about.endedAt)],
    ['kind', state.kind],
    ['reference', state.referenceId],
    ['amount', state.amount === undefined ? undefined : `${formatMoney(state.amount)} CAD`],
    ['account', about.account],
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
    ...nextSteps(state).map((step) => ['next', step, bold] as const),
  ];
  for (const [name, value, style = String] of lines) {
    if (value == null) continue;
    const text = wrapped(oneLine(String(value)), process.stdout, NAME_WIDTH + 1);
    printLine(`${dim(name.padEnd(NAME_WIDTH))} ${style(text)}`);
  }
}

/** What a person should do; empty where the session needs nobody. */
function nextSteps(state: SessionState): readonly string[] {
  const steps = problemsOf(state).map((problem) => `${problem}: ${remedyOf(problem, state.key)}`);
  if (steps.length > 0) return steps;
  switch (standingOf(state)) {
    case 'open':
      return [`The payor has to pay: \`paysession open ${keyArgument(state.key)}\` opens the checkout page.`];
    case 'unsigned':
      return ['The payor has to sign the PAD agreement; the session follows it until its deadline.'];
    case 'endedUnsigned':
    case 'endedUnclear':
      return ['Look the payment up at the payment service before you deliver or release.'];
    default:
      return [];
  }
}
