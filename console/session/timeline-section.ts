import type { WebhookDelivery } from '../../ledger/webhooks/deliveries';
import type { SessionMoney } from '../../src/sessions';
import { searchable, searchableWords } from '../../src/protocol/temporal/visibility';
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
import { type KnownSession, type SessionView, standingOfView, startedAtOf } from './view';
import type { PaymentSessionInput } from '../../src/protocol/input';
import { resolvePolicy } from '../../src/protocol/policy';
import { explainedCode, explainedReturn, withCommands } from '../page';
import { resultWords } from './acts/results';
import { dayOf } from '../../src/contract/values/day';

/** Renders the session's events, and the interval of its polls or cancel requests. */
export function timelineSection(view: SessionView, locale: Locale): Html {
  const { sections, timeline } = textsOf(locale.language).session;
  const { when, what, details } = timeline.columns;
  const rows = timelineOf(view, locale).map((row) => [
    row.isDay ? html`<time datetime="${dayOf(row.at)}">${dayOf(row.at)}</time>` : moment(row.at, locale),
    badge(row.text, row.tone),
    row.details ?? '',
  ]);
  return html`<section aria-labelledby="timeline">
    <h2 id="timeline">${sections.timeline}</h2>
    <p>${cadenceText(view, locale.language)}</p>
    ${waitingWebhooks(view, locale)} ${view.webhooks?.hasMore && html`<p>${timeline.webhooks.leftOut}</p>`}
    ${dataTable(sections.timeline, [when, what, details], rows)}
  </section>`;
}

/** Names the endpoints that have not received the session's webhooks. Omits an endpoint if the timeline shows its refused message. */
function waitingWebhooks({ webhooks }: SessionView, locale: Locale): readonly Html[] {
  const { waiting, nextTry, notTried } = textsOf(locale.language).session.timeline.webhooks;
  return (webhooks?.waiting ?? [])
    .filter(({ endpoint }) => !webhooks?.deliveries.some((one) => one.endpoint === endpoint && one.nextTryAt))
    .map(
      ({ endpoint, nextTryAt }) =>
        html`<p>
          ${waiting(endpoint)}
          ${nextTryAt === undefined ? withCommands(notTried(endpoint)) : html`${nextTry} ${moment(nextTryAt, locale)}`}.
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
  if (standing === 'cancelling') return cadence.cancelling;
  if (known === undefined || stored?.input === undefined) return cadence.unknown;
  const everyMs = pollEveryMs(known, stored.input, Date.now());
  return everyMs === undefined ? cadence.unknown : cadence.every(duration(everyMs, language));
}

/** An event of a session, past or upcoming, as a row of the table. */
interface Row {
  readonly at: string;
  /** True if only the day is known, as in a reconciliation file. */
  readonly isDay?: true;
  readonly text: string;
  readonly tone: Tone;
  readonly details?: Html;
}

/** Lists all known events of a session, newest first, because operators want to see the latest. Upcoming events are at the top. */
export function timelineOf(view: SessionView, locale: Locale): readonly Row[] {
  const texts = textsOf(locale.language);
  const { timeline } = texts.session;
  const { summary, known, nextPollAt, money, webhooks } = view;
  const { state, stateHistory = [] } = known ?? {};
  const { cancel, trouble, anomalies = [], decisions = [] } = state ?? {};
  // A cancellation with a name or a reason is also recorded as a decision. The decision has more facts, so only its row is shown.
  const isDecided = decisions.some(({ decision, at }) => decision === 'cancel' && at === cancel?.requestedAt);
  const startedAt = startedAtOf(view);
  const nextCallAt = trouble?.until ?? nextPollAt;
  const quiet = (at: string, text: string): Row => ({ at, text, tone: 'quiet' });
  const rows = [
    startedAt !== undefined && quiet(startedAt, timeline.started),
    ...decisions.map((decision) => decisionRow(decision, texts, locale.language)),
    cancel && !isDecided && cancelRow(cancel, texts),
    ...stateHistory.map((entry) => stateRow(entry, texts)),
    ...anomalies.map((anomaly) => anomalyRow(anomaly, texts)),
    trouble && troubleRow(trouble, texts, locale.language),
    summary?.endedAt && quiet(summary.endedAt.toISOString(), timeline.over),
    ...moneyRows(money ?? {}, texts, locale.language),
    ...(webhooks?.deliveries ?? []).map((delivery) => webhookRow(delivery, texts, locale)),
    nextCallAt !== undefined && !summary?.endedAt && quiet(nextCallAt, timeline.nextCall),
  ].filter((row) => typeof row === 'object');
  // The sort is stable. So if two events have the same time, the cause stays below its effect.
  return rows.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).reverse();
}

function stateRow(
  { status, code, unreadableCode, source, firstSeenAt: at }: StateHistoryEntry,
  { session: { timeline } }: Texts,
): Row {
  const details = html`<code>${searchableWords(status, code).join(' ')}</code>, ${timeline.sources[source]}
    ${unreadableCode && html`(${timeline.unreadableCode})`}`;
  return { at, text: timeline.seen, tone: 'busy', details };
}

function cancelRow({ by, outcome, requestedAt: at }: CancelRecord, { session, acting }: Texts): Row {
  const { timeline, colon } = session;
  const became = outcome === undefined ? acting.pending : acting.outcomes[outcome];
  const details = html`${timeline.cancelBy[by]}${colon} ${became}`;
  return { at, text: timeline.cancel, tone: 'attention', details };
}

function troubleRow({ code, failures, since: at }: Trouble, { session }: Texts, language: Language): Row {
  const { timeline, failedCalls, colon } = session;
  const details = html`${failedCalls(String(failures))}${colon} ${explainedCode(code, language)}`;
  return { at, text: timeline.trouble, tone: 'bad', details };
}

function anomalyRow(anomaly: Anomaly, { session, problems }: Texts): Row {
  const details = html`${withCommands(problems[anomaly.kind].meaning)} ${anomalyDetail(anomaly)}`;
  return { at: anomaly.at, text: session.timeline.anomaly, tone: 'attention', details };
}

/**
 * Shows an unknown status or code only in the form in which Temporal's index shows it, because the service may have sent anything,
 * including personal data.
 */
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

function decisionRow(entry: Decision, texts: Texts, language: Language): Row {
  const { at, decision, by, reason, sessionId, followedBy, maybeFollowedBy, result } = entry;
  const otherKey = followedBy ?? maybeFollowedBy;
  const { timeline, colon } = texts.session;
  const details = html`<strong>${texts.acting.decisions[decision]}</strong>
    ${sessionId !== undefined && html`<code>${sessionId}</code>`}
    ${by !== undefined && timeline.by(by)}${colon} ${resultWords(result, texts, language)}
    ${otherKey !== undefined && html`<a href="${sessionPath(otherKey)}"><code>${otherKey}</code></a>`}
    ${reason !== undefined && html`<p>${timeline.reason(reason)}</p>`}`;
  return { at, text: timeline.decision, tone: 'busy', details };
}

function moneyRows(
  { settled, returned, handled }: SessionMoney,
  { session: { facts, timeline } }: Texts,
  language: Language,
): readonly (Row | undefined)[] {
  return [
    settled && {
      at: settled.at,
      isDay: true,
      text: facts.settled,
      tone: 'good',
      details: html`${formatMoney(settled.amount, language)}`,
    },
    returned && {
      at: returned.at,
      isDay: true,
      text: facts.returned,
      tone: 'bad',
      details: html`${formatMoney(returned.amount, language)} ${explainedReturn(returned.code, language)}`,
    },
    handled && {
      at: handled.at,
      text: facts.handled,
      tone: 'busy',
      details: html`${handled.by !== undefined && timeline.by(handled.by)}
      ${handled.reason !== undefined && timeline.reason(handled.reason)}`,
    },
  ];
}

function webhookRow(
  { type, endpoint, state, attempts, answers, nextTryAt }: WebhookDelivery,
  { session: { timeline, colon } }: Texts,
  locale: Locale,
): Row {
  const { states, to, nextTry, attempts: tried } = timeline.webhooks;
  const { at = '', outcome } = answers.at(-1) ?? {};
  const tone = ({ delivered: 'quiet', refused: 'attention', givenUp: 'bad' } as const)[state];
  const details = html`<code>${type}</code> ${to(endpoint)}${colon} ${outcome}
    ${attempts > 1 && html`(${tried(attempts)})`}
    ${nextTryAt !== undefined && html`${nextTry} ${moment(nextTryAt, locale)}`}`;
  return { at, text: states[state], tone, details };
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** The intervals that the page shows. The exact interval changes every second and would replace the page every second. */
const STEPS_MS = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((seconds) => seconds * SECOND),
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12, 18, 24].map((hours) => hours * HOUR),
];

/** Estimates the present interval between the polls of an open session, in milliseconds. Returns `undefined` in any other phase. */
export function pollEveryMs(
  { state, stateHistory }: KnownSession,
  { policy = {}, request }: PaymentSessionInput,
  nowMs: number,
): number | undefined {
  if (state.phase !== 'open') return undefined;
  const changedAtMs = Date.parse(stateHistory.at(-1)?.firstSeenAt ?? '') || nowMs;
  const exactMs = intervalMs(cadenceOf(state, resolvePolicy(policy, request)), nowMs - changedAtMs);
  return STEPS_MS.findLast((stepMs) => stepMs <= exactMs) ?? SECOND;
}
