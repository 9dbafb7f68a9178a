import type { WebhookDelivery } from '../../ledger/webhooks/deliveries';
import type { SessionMoney } from '../../src/sessions';
import { searchable } from '../../src/protocol/temporal/visibility';
import type {
  Anomaly,
  CancelRecord,
  Decision,
  StateHistoryEntry,
  Trouble,
} from '../../src/protocol/state/recorded';
import { html, type Html } from '../../src/web/html';
import { formatMoney, type Language } from '../../src/web/language';
import { badge, type Tone, dataTable } from '../../src/web/shell/parts';
import { duration, moment, type Locale } from '../../src/web/shell/time';
import { intervalMs, cadenceOf } from '../../src/protocol/cadence';
import { sessionPath } from '../http/paths';
import { textsOf, type Texts } from '../texts';
import { type KnownSession, type SessionView, standingOfView } from './view';
import type { PaymentSessionInput } from '../../src/protocol/input';
import { resolvePolicy } from '../../src/protocol/policy';
import { explainedCode, explainedReturn, withCommands } from '../page';
import { resultWords } from './acts/results';
import { dayOf } from '../../src/contract/values/day';

/** Renders the polling interval, and all events. */
export function timelineSection(view: SessionView, locale: Locale): Html {
  const { language } = locale;
  const texts = textsOf(language);
  const { sections, timeline } = texts.session;
  const { when, what, details } = timeline.columns;
  const rows = timelineOf(view).map((entry) => {
    const row = rowOf(entry, texts, locale);
    const at = isOfDay(entry)
      ? html`<time datetime="${dayOf(entry.at)}">${dayOf(entry.at)}</time>`
      : moment(entry.at, locale);
    return [at, badge(row.text, row.tone), row.details];
  });
  return html`<section aria-labelledby="timeline">
    <h2 id="timeline">${sections.timeline}</h2>
    <p>${cadenceText(view, language)}</p>
    ${waitingWebhooks(view, locale)} ${view.webhooks?.hasMore && html`<p>${timeline.webhooks.leftOut}</p>`}
    ${dataTable(sections.timeline, [when, what, details], rows)}
  </section>`;
}

/** Says which endpoints have not received the session's webhooks, unless the timeline has the refused message. */
function waitingWebhooks({ webhooks }: SessionView, locale: Locale): readonly Html[] {
  const { waiting, nextTry, notTried } = textsOf(locale.language).session.timeline.webhooks;
  return (webhooks?.waiting ?? [])
    .filter(({ endpoint }) => !webhooks?.deliveries.some((one) => one.endpoint === endpoint && one.nextTryAt))
    .map(
      ({ endpoint, nextTryAt }) =>
        html`<p>
          ${waiting(endpoint)}
          ${nextTryAt === undefined ? withCommands(notTried) : html`${nextTry} ${moment(nextTryAt, locale)}`}.
        </p>`,
    );
}

function cadenceText(view: SessionView, language: Language): string {
  const { cadence } = textsOf(language).session;
  const { known, stored, summary, record } = view;
  const isOver = summary?.running === false || record !== undefined;
  if (isOver || known?.state.phase === 'ended') return cadence.over;
  const standing = standingOfView(view);
  if (standing === 'creating' || standing === 'parked') return cadence.notOpen;
  if (known === undefined || stored === undefined || !('input' in stored)) return cadence.unknown;
  const everyMs = pollEveryMs(known, stored.input, Date.now());
  return everyMs === undefined ? cadence.unknown : cadence.every(duration(everyMs, language));
}

interface Row {
  readonly text: string;
  readonly tone: Tone;
  readonly details: Html;
}

function rowOf(entry: TimelineEntry, texts: Texts, locale: Locale): Row {
  const { language } = locale;
  const { timeline, colon, failedCalls } = texts.session;
  switch (entry.kind) {
    case 'started':
      return { text: timeline.started, tone: 'quiet', details: html`` };
    case 'over':
      return { text: timeline.over, tone: 'quiet', details: html`` };
    case 'nextCall':
      return { text: timeline.nextCall, tone: 'quiet', details: html`` };
    case 'state': {
      const { status, code, unreadableCode, source } = entry.state;
      const words = [status, code]
        .flatMap((word) => (word === undefined ? [] : [searchable(word)]))
        .join(' ');
      const details = html`<code>${words}</code>, ${timeline.sources[source]}
        ${unreadableCode && html`(${timeline.unreadableCode})`}`;
      return { text: timeline.seen, tone: 'busy', details };
    }
    case 'cancel': {
      const { by, outcome } = entry.cancel;
      const became = outcome === undefined ? texts.acting.pending : texts.acting.outcomes[outcome];
      return {
        text: timeline.cancel,
        tone: 'attention',
        details: html`${timeline.cancelBy[by]}${colon} ${became}`,
      };
    }
    case 'trouble': {
      const { code, failures } = entry.trouble;
      const details = html`${failedCalls(String(failures))}${colon} ${explainedCode(code, language)}`;
      return { text: timeline.trouble, tone: 'bad', details };
    }
    case 'anomaly':
      return {
        text: timeline.anomaly,
        tone: 'attention',
        details: html`${texts.problems[entry.anomaly.kind].meaning} ${anomalyDetail(entry.anomaly)}`,
      };
    case 'decision':
      return {
        text: timeline.decision,
        tone: 'busy',
        details: decisionDetails(entry.decision, texts, language),
      };
    case 'settled':
      return {
        text: texts.session.facts.settled,
        tone: 'good',
        details: html`${formatMoney(entry.money.amount, language)}`,
      };
    case 'returned': {
      const { amount, code } = entry.money;
      const details = html`${formatMoney(amount, language)} ${explainedReturn(code, language)}`;
      return { text: texts.session.facts.returned, tone: 'bad', details };
    }
    case 'handled': {
      const { by, reason } = entry.handled;
      const details = html`${by !== undefined && timeline.by(by)}
      ${reason !== undefined && timeline.reason(reason)}`;
      return { text: texts.session.facts.handled, tone: 'busy', details };
    }
    case 'webhook':
      return webhookRow(entry.delivery, texts, locale);
  }
}

function webhookRow(
  { type, endpoint, state, attempts, answers, nextTryAt }: WebhookDelivery,
  { session: { timeline, colon } }: Texts,
  locale: Locale,
): Row {
  const { states, to, nextTry } = timeline.webhooks;
  const tone = ({ delivered: 'quiet', refused: 'attention', givenUp: 'bad' } as const)[state];
  const details = html`<code>${type}</code> ${to(endpoint)}${colon} ${answers.at(-1)?.outcome}
    ${attempts > 1 && html`(${timeline.webhooks.attempts(attempts)})`}
    ${nextTryAt !== undefined && html`${nextTry} ${moment(nextTryAt, locale)}`}`;
  return { text: states[state], tone, details };
}

/** Shows odd statuses and codes as in the index: the service may have sent anything, including personal data. */
function anomalyDetail({ kind, detail }: Anomaly): Html {
  switch (kind) {
    case 'unknownStatus':
    case 'unknownCode':
      return html`<code>${searchable(detail)}</code>`;
    case 'backwardStatus': {
      const states = detail.split(' to ').map((state) => state.split('/').map(searchable).join(' '));
      return html`<code>${states.join(' → ')}</code>`;
    }
    case 'unreadableCode':
    case 'missingCode':
      return html``;
    default:
      return html`<span lang="en">(${detail})</span>`;
  }
}

function decisionDetails(entry: Decision, texts: Texts, language: Language): Html {
  const { decision, by, reason, sessionId, followedBy, maybeFollowedBy, result } = entry;
  const otherKey = followedBy ?? maybeFollowedBy;
  const { timeline, colon } = texts.session;
  return html`<strong>${texts.acting.decisions[decision]}</strong>
    ${sessionId !== undefined && html`<code>${sessionId}</code>`}
    ${by !== undefined && timeline.by(by)}${colon} ${resultWords(result, texts, language)}
    ${otherKey !== undefined && html`<a href="${sessionPath(otherKey)}"><code>${otherKey}</code></a>`}
    ${reason !== undefined && html`<p>${timeline.reason(reason)}</p>`}`;
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Rounds for readers: a value that changed each second would replace the page each second. */
const STEPS_MS = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((seconds) => seconds * SECOND),
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12, 18, 24].map((hours) => hours * HOUR),
];

/** Estimates the current interval between a session's polls, in milliseconds; `undefined` if it is not polled. */
export function pollEveryMs(
  { state, stateHistory }: KnownSession,
  { policy = {}, request }: PaymentSessionInput,
  nowMs: number,
): number | undefined {
  if (state.phase !== 'open' && state.phase !== 'cancelling') return undefined;
  const changedAtMs = Date.parse(stateHistory.at(-1)?.firstSeenAt ?? '') || nowMs;
  const exactMs = intervalMs(cadenceOf(state, resolvePolicy(policy, request)), nowMs - changedAtMs);
  return STEPS_MS.findLast((stepMs) => stepMs <= exactMs) ?? SECOND;
}

/** An event of a session, past or upcoming. */
type TimelineEntry = { readonly at: string } & (
  | { readonly kind: 'started' }
  | { readonly kind: 'state'; readonly state: StateHistoryEntry }
  | { readonly kind: 'cancel'; readonly cancel: CancelRecord }
  | { readonly kind: 'trouble'; readonly trouble: Trouble }
  | { readonly kind: 'nextCall' }
  | { readonly kind: 'anomaly'; readonly anomaly: Anomaly }
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'settled'; readonly money: NonNullable<SessionMoney['settled']> }
  | { readonly kind: 'returned'; readonly money: NonNullable<SessionMoney['returned']> }
  | { readonly kind: 'handled'; readonly handled: NonNullable<SessionMoney['handled']> }
  | { readonly kind: 'webhook'; readonly delivery: WebhookDelivery }
  | { readonly kind: 'over' }
);

/** True if only the day is known: a reconciliation file has no times. */
const isOfDay = ({ kind }: TimelineEntry): boolean => kind === 'settled' || kind === 'returned';

/**
 * Lists all known events of a session, newest first, because operators look for the latest. Upcoming events are
 * above it.
 */
export function timelineOf({
  summary,
  known,
  nextPollAt,
  money = {},
  webhooks,
}: SessionView): readonly TimelineEntry[] {
  const { state, stateHistory = [] } = known ?? {};
  const { cancel, trouble, anomalies = [], decisions = [] } = state ?? {};
  // A cancel with a name leaves a decision, which has the same facts, the name and the reason.
  const isDecided = decisions.some(({ decision, at }) => decision === 'cancel' && at === cancel?.requestedAt);
  const { settled, returned, handled } = money;
  const nextCallAt = trouble?.until ?? nextPollAt;
  const inOrder: TimelineEntry[] = [
    ...(summary === undefined ? [] : [{ at: summary.startedAt.toISOString(), kind: 'started' } as const]),
    ...decisions.map((decision) => ({ at: decision.at, kind: 'decision', decision }) as const),
    ...(cancel === undefined || isDecided
      ? []
      : [{ at: cancel.requestedAt, kind: 'cancel', cancel } as const]),
    ...stateHistory.map((entry) => ({ at: entry.firstSeenAt, kind: 'state', state: entry }) as const),
    ...anomalies.map((anomaly) => ({ at: anomaly.at, kind: 'anomaly', anomaly }) as const),
    ...(trouble === undefined ? [] : [{ at: trouble.since, kind: 'trouble', trouble } as const]),
    ...(summary?.endedAt === undefined ? [] : [{ at: summary.endedAt.toISOString(), kind: 'over' } as const]),
    ...(settled === undefined ? [] : [{ at: settled.at, kind: 'settled', money: settled } as const]),
    ...(returned === undefined ? [] : [{ at: returned.at, kind: 'returned', money: returned } as const]),
    ...(handled === undefined ? [] : [{ at: handled.at, kind: 'handled', handled } as const]),
    ...(webhooks?.deliveries ?? []).map(
      (delivery) => ({ at: delivery.answers.at(-1)?.at ?? '', kind: 'webhook', delivery }) as const,
    ),
    ...(nextCallAt === undefined || summary?.endedAt ? [] : [{ at: nextCallAt, kind: 'nextCall' } as const]),
  ];
  // The sort is stable: of two events at the same moment, the cause stays below its effect.
  return inOrder.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).reverse();
}
