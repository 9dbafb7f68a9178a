import type { DeliveryState, WebhookDeliveriesOf } from '../../ledger/webhooks/deliveries';
import { formatDecision } from './decisions';
import { namedSession } from '../../src/protocol/decisions';
import type { SessionRequest } from '../../src/contract';
import { RETURN_REMEDIES, returnReason, type ReturnAdvice } from '../../src/contract/return-codes';
import { explain } from '../../src/errors';
import { problemsOf, remedyOf, keyArgument } from '../../src/protocol/state/problems';
import type { SessionState } from '../../src/protocol/state/session';
import { standingOf, type Standing, STANDINGS, type KnownOfSession } from '../../src/protocol/state/standing';
import { formatMoney, formatState, oneLine, printLine, asTyped } from './output';
import type { StyledCell } from './table';
import { colorsOf, fullTime, relativeSuffix, wrapped } from './terminal';
import { dayOf } from '../../src/contract/values/day';

type Style = (text: string) => string;
type Line = readonly [name: string, value: string | number | null | undefined, style?: Style];

const NAME_WIDTH = 11;

/** The session's money according to the ledger. `settledAt` and `returnedAt` are the first moments of their days, ISO 8601, UTC. */
export interface MoneyOfSession {
  /** The number of the payment's claim, if the key has several. */
  readonly claim?: number | undefined;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction?: SessionRequest['direction'] | undefined;
  readonly settledAt?: string | undefined;
  readonly returnedAt?: string | undefined;
  /** The payment service's code for the reason of the return. */
  readonly returnCode?: string | undefined;
  /** The advice for `returnCode`; absent if the code is not known. */
  readonly returnAdvice?: ReturnAdvice | undefined;
  /** The time at which a person recorded what was done about the return; ISO 8601, UTC. */
  readonly handledAt?: string | undefined;
}

/** The known facts about a session in addition to its state; times are ISO 8601, UTC. */
export interface AboutSession extends MoneyOfSession {
  readonly account?: string | undefined;
  /** Absent for a session that has continued in another run, or that only the ledger knows. */
  readonly startedAt?: string | undefined;
  /** The time at which the session's present status and code were first seen; absent until the session is created. */
  readonly since?: string | undefined;
  readonly endedAt?: string | undefined;
  /** The deliveries of its webhooks; absent if there are none, or if the ledger cannot be read. */
  readonly webhooks?: WebhookDeliveriesOf | undefined;
}

/** Prints a session's state as lines of name and value. */
export function printState(state: SessionState, about: AboutSession = {}): void {
  const { cancel, trouble, failure, paid } = state;
  const named = namedSession(state);
  const { bold, cyan, red, yellow, dim } = colorsOf(process.stdout);
  // The session failed before the payment service reported a status.
  const shown =
    failure !== undefined && state.status === undefined
      ? { status: 'failed', code: failure.code, paid }
      : state;
  const standing = standingOf({ ...state, returned: about.returnedAt !== undefined });
  const style = styleOfStanding(standing);
  const time = (text: string) => fullTime(text, process.stdout);
  const lines: readonly Line[] = [
    ['key', state.key],
    ['phase', state.phase, state.phase === 'parked' ? yellow : String],
    ['state', formatState(shown), style],
    ['paid', paid ? 'yes' : 'no', style],
    ['settled', about.settledAt && dayOf(about.settledAt)],
    [
      'returned',
      about.returnedAt && `${dayOf(about.returnedAt)} ${explainReturn(about.returnCode)}`.trimEnd(),
      yellow,
    ],
    ['handled', about.handledAt && time(about.handledAt)],
    ['started', about.startedAt && time(about.startedAt)],
    ['since', about.since && time(about.since)],
    ['ended', about.endedAt && time(about.endedAt)],
    ['kind', state.kind],
    ['reference', state.referenceId],
    ['amount', state.amount === undefined ? undefined : `${formatMoney(state.amount)} CAD`],
    ['direction', about.direction === 'CREDIT' ? 'CREDIT: money to the payor' : undefined],
    ['account', about.account],
    ['session id', state.sessionId],
    ['named', named && `${named}: the answer to the create request names this session`, yellow],
    ['checkout', state.checkoutUrl, cyan],
    [
      'cancel',
      cancel &&
        `${cancel.outcome ?? 'requested'} (by ${cancel.by}, ${cancel.requestedAt}${relativeSuffix(cancel.requestedAt, process.stdout)})`,
    ],
    ['unsigned', state.unsigned && 'the PAD agreement was not signed in time'],
    [
      'unverified',
      state.unverified &&
        'the payment service could not be checked after the deadline: the session may have been paid',
      yellow,
    ],
    ['trouble', trouble && `${trouble.code}: ${asTyped(explain(trouble))}`, yellow],
    ['waits until', trouble?.until && `${trouble.until}${relativeSuffix(trouble.until, process.stdout)}`],
    ['failure', failure && `${failure.code}: ${asTyped(explain(failure))}`, red],
    ...state.anomalies.map(
      ({ kind, detail, at }) =>
        ['anomaly', `${kind}: ${detail} (${at}${relativeSuffix(at, process.stdout)})`, yellow] as const,
    ),
    ...state.decisions.map((decision) => ['decision', formatDecision(decision, process.stdout)] as const),
    ...webhookLines(about, time).map((line) => ['webhook', asTyped(line)] as const),
    ...nextSteps(state, standing, about).map((step) => ['next', asTyped(step), bold] as const),
  ];
  for (const [name, value, style = String] of lines) {
    if (value == null) continue;
    const text = wrapped(oneLine(String(value)), process.stdout, NAME_WIDTH + 1);
    printLine(`${dim(name.padEnd(NAME_WIDTH))} ${style(text)}`);
  }
}

/** Describes the session's webhooks: the number of delivered messages, each failed delivery, and each endpoint that messages wait for. */
function webhookLines({ webhooks }: AboutSession, time: (at: string) => string): readonly string[] {
  if (webhooks === undefined) return [];
  const { deliveries, waiting, hasMore } = webhooks;
  const next = (at: string | undefined) => (at === undefined ? '' : `, next try ${time(at)}`);
  const delivered = deliveries.filter(({ state }) => state === 'delivered');
  return [
    ...(hasMore ? [LEFT_OUT] : []),
    ...(delivered.length === 0
      ? []
      : [
          `${delivered.length} delivered to ${[...new Set(delivered.map(({ endpoint }) => endpoint))].join(', ')}`,
        ]),
    ...deliveries
      .filter(({ state }) => state !== 'delivered')
      .map(
        ({ type, endpoint, state, answers, nextTryAt }) =>
          `${type} ${state === 'givenUp' ? 'given up for' : 'refused by'} ${endpoint}: ${answers.at(-1)?.outcome ?? ''}${next(nextTryAt)}`,
      ),
    ...waiting
      .filter(({ endpoint }) => !deliveries.some((one) => one.endpoint === endpoint && one.nextTryAt))
      .map(
        ({ endpoint, nextTryAt }) =>
          `waiting for ${endpoint}${nextTryAt === undefined ? `: ${notTried(endpoint)}` : next(nextTryAt)}`,
      ),
  ];
}

/** Returns the state of a message at an endpoint, for a person. */
export const deliveryText = (state: DeliveryState): string => (state === 'givenUp' ? 'given up' : state);

export const LEFT_OUT = 'Older deliveries are left out.';

/** Returns what to do about webhooks that wait for a failing endpoint. */
export const notTried = (endpoint: string): string =>
  `the endpoint gets no webhooks any more. Fix it, then run \`paysession webhooks replay --endpoint ${endpoint}\``;

/** The advice for a return without a known code. */
const RETURNED = {
  DEBIT:
    'The money came back: do not deliver. If the goods are delivered already, ask the payor for another payment.',
  CREDIT:
    'The money came back: the payor does not have it. Find out why, then pay them again under another key.',
};

/** Returns a return's code with its meaning, such as `901: Not sufficient funds`. Returns an unknown code as it is. */
export function explainReturn(code = ''): string {
  const reason = returnReason(code);
  return reason === undefined ? code : `${code}: ${reason.meaning.EN}`;
}

/** Returns what to do about money that came back. */
export function remedyOfReturn(code: string | undefined, direction: SessionRequest['direction']): string {
  const reason = returnReason(code ?? '');
  return reason === undefined ? RETURNED[direction] : RETURN_REMEDIES[reason.advice][direction].EN;
}

/** Returns the next steps for an operator; empty if the session needs nothing. */
function nextSteps(
  state: SessionState,
  standing: Standing,
  { claim, direction = 'DEBIT', returnCode, handledAt }: MoneyOfSession,
): readonly string[] {
  const named = namedSession(state);
  const steps = problemsOf(state).map((problem) => `${problem}: ${remedyOf(problem, state.key)}`);
  if (named !== undefined)
    steps.push(
      `\`paysession resolve --session-id ${named} --look ${keyArgument(state.key)}\` compares that session with this session’s request.`,
    );
  if (standing === 'returned')
    return handledAt === undefined
      ? [
          ...steps,
          remedyOfReturn(returnCode, direction),
          `Then record what was done: \`paysession ledger handled${claim === undefined ? '' : ` --claim ${claim}`} --by NAME --reason TEXT ${keyArgument(state.key)}\``,
        ]
      : steps;
  if (steps.length > 0) return steps;
  switch (standing) {
    case 'open':
      return [
        `The payor has to complete the checkout page: \`paysession open ${keyArgument(state.key)}\` opens it.`,
      ];
    case 'unsigned':
      return ['The payor has to sign the PAD agreement; the session waits for that until its deadline.'];
    case 'endedUnsigned':
    case 'endedUnclear':
      return ['Look the payment up at the payment service before you deliver or release.'];
    default:
      return [];
  }
}

/**
 * Returns the colour of a state: green if paid, cyan while it goes on, red if failed or terminated, yellow if it needs a check or ended
 * unpaid.
 */
export const styleOf = (state: KnownOfSession): Style => styleOfStanding(standingOf(state));

export function styleOfStanding(standing: Standing): Style {
  const { green, red, yellow, cyan } = colorsOf(process.stdout);
  switch (STANDINGS[standing]) {
    case 'good':
      return green;
    case 'bad':
      return red;
    case 'busy':
      return cyan;
    case 'attention':
    case 'quiet':
      return yellow;
  }
}

/** Returns a state as a table's cell. */
export const stateCell = (state: KnownOfSession): StyledCell => ({
  text: formatState(state),
  style: styleOf(state),
});

/** Returns a state as text. */
export const styledState = (state: KnownOfSession): string => styleOf(state)(formatState(state));
