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

/**
 * The facts about a session's money, from the ledger. `settledAt` and `returnedAt` are days: each is the first moment of the day, in ISO 8601, UTC.
 */
export interface MoneyOfSession {
  /** The number of the payment's claim, if the key has several. */
  readonly claim?: number | undefined;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction?: SessionRequest['direction'] | undefined;
  readonly settledAt?: string | undefined;
  readonly returnedAt?: string | undefined;
  /** The payment service's code that says why the money came back. */
  readonly returnCode?: string | undefined;
  /** The advice for `returnCode`. Absent if the code is unknown. */
  readonly returnAdvice?: ReturnAdvice | undefined;
  /** The time at which a person recorded what was done about the returned money. ISO 8601, UTC. */
  readonly handledAt?: string | undefined;
}

/** Facts about a session in addition to its state. Times are in ISO 8601, UTC. */
export interface AboutSession extends MoneyOfSession {
  readonly account?: string | undefined;
  /** The time of the start. Absent if the session's workflow has continued in another run, or if only the ledger has the session. */
  readonly startedAt?: string | undefined;
  /** The time at which the current status and code were first seen. Absent until the session is created. */
  readonly since?: string | undefined;
  readonly endedAt?: string | undefined;
  /** The deliveries of the session's webhooks. Absent if there are none, or if the ledger cannot be read. */
  readonly webhooks?: WebhookDeliveriesOf | undefined;
}

/** Prints a session's state. Each line has a name and a value. */
export function printState(state: SessionState, about: AboutSession = {}): void {
  const { cancel, trouble, failure, paid } = state;
  const named = namedSession(state);
  const { bold, cyan, red, yellow, dim } = colorsOf(process.stdout);
  // If the session failed before the payment service reported a status, show the failure instead of a status.
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

/** Describes a session's webhooks: the number of delivered messages, each failed delivery, and each endpoint for which messages wait. */
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
          `waiting for ${endpoint}${nextTryAt === undefined ? `: ${notTriedText(endpoint)}` : next(nextTryAt)}`,
      ),
  ];
}

/** Returns the state of a delivery in words. */
export const deliveryText = (state: DeliveryState): string => (state === 'givenUp' ? 'given up' : state);

export const LEFT_OUT = 'Older deliveries are left out.';

/** Returns the advice about webhooks that wait for a failing endpoint. */
export const notTriedText = (endpoint: string): string =>
  `the endpoint gets no webhooks any more. Fix it, then run \`paysession webhooks replay --endpoint ${endpoint}\``;

/** The advice about returned money if its code is unknown. */
const RETURNED = {
  DEBIT:
    'The money came back: do not deliver. If the goods are delivered already, ask the payor for another payment.',
  CREDIT:
    'The money came back: the payor does not have it. Find out why, then pay them again under another key.',
};

/** Returns the code of a return with its meaning, such as `901: Not sufficient funds`. If the code is unknown, returns only the code. */
export function explainReturn(code = ''): string {
  const reason = returnReason(code);
  return reason === undefined ? code : `${code}: ${reason.meaning.EN}`;
}

/** Returns the advice about money that came back. */
export function remedyOfReturn(code: string | undefined, direction: SessionRequest['direction']): string {
  const reason = returnReason(code ?? '');
  return reason === undefined ? RETURNED[direction] : RETURN_REMEDIES[reason.advice][direction].EN;
}

/** Returns what an operator can do next. Returns an empty list if there is nothing to do. */
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
 * Returns the colour of a state: green for paid, cyan for open, red for failed or terminated, and yellow if an operator must check the session or it
 * ended unpaid.
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

/** Returns a table cell with a state. */
export const stateCell = (state: KnownOfSession): StyledCell => ({
  text: formatState(state),
  style: styleOf(state),
});

/** Returns the text of a state, in its colour. */
export const styledState = (state: KnownOfSession): string => styleOf(state)(formatState(state));
