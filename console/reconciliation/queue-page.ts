import type { UnmatchedLine } from '../../ledger';
import type { ArrivalDay } from '../../ledger/sessions/ledger-payments';
import type {
  ReconciliationRun,
  UnmatchedPage,
  UnmatchedTotals,
} from '../../ledger/reconciliation/unmatched-lines';
import { shortSessionId } from '../../src/contract/identity';
import { html, type Html } from '../../src/web/html';
import { formatCount, formatMoney, type Language } from '../../src/web/language';
import { dataTable, emptyState, notice, numeric, pager, section } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import type { Reader } from '../access/reader';
import { keyLink, onOneLine, withCommands } from '../page';
import { addressOfPayments, LATE } from '../payments/payment-query';
import { MASK } from '../session/personal-fields';
import { textsOf } from '../texts';

/** The actions whose results the page shows at the top. */
export const DONE = ['recorded', 'explained', 'runExplained'] as const;

/** The contents of the page. */
export interface Reconciled {
  readonly page: UnmatchedPage;
  readonly totals: UnmatchedTotals;
  readonly runs: readonly ReconciliationRun[];
  readonly arrivals: readonly ArrivalDay[];
  readonly lateAfterDays: number;
  /** The time zone of the days. */
  readonly timeZone: string;
  /** True on the first page of lines. */
  readonly isFirst: boolean;
  readonly done?: (typeof DONE)[number] | undefined;
}

/**
 * Renders the queue of lines that no payment matches and no operator has explained, the last runs, and the money of each day. `upload` is
 * the form for a file.
 */
export function queuePage(shown: Reconciled, upload: Html, reader: Reader): Html {
  const { reconciliation: texts } = textsOf(reader.language);
  const { done } = shown;
  return html`${done && notice('good', texts[done].heading, texts[done].body)}
  ${section(texts.queue.title, queuePart(shown, reader))} ${upload}
  ${section(texts.runs.title, runsPart(shown.runs, reader))}
  ${section(texts.arrivals.title, arrivalsPart(shown, reader))}`;
}

function queuePart({ page, totals, isFirst }: Reconciled, reader: Reader): Html {
  const { language } = reader;
  const { queue } = textsOf(language).reconciliation;
  if (page.lines.length === 0 && isFirst) return emptyState(queue.none.heading, queue.none.body);
  return html`<p>${totalsText(totals, language)}</p>
    ${!isFirst && html`<p><a href="/reconciliation">${queue.first}</a></p>`} ${lineTable(page.lines, reader)}
    ${pager({ language, next: page.next === undefined ? undefined : `/reconciliation?after=${page.next}` })}`;
}

/** Returns the number of lines that wait, and their sums in each currency, as a sentence. */
export function totalsText({ count, sums }: UnmatchedTotals, language: Language): string {
  const {
    reconciliation: { queue },
    session,
  } = textsOf(language);
  const parts = sums.map(({ currency, settled, returned }) => {
    const money = (amount: string) => formatMoney(Number(amount), language, currency);
    return queue.sum(money(settled), money(returned));
  });
  const lines = queue.waiting(formatCount(count, language));
  return parts.length === 0 ? `${lines}.` : `${lines}${session.colon} ${parts.join('; ')}.`;
}

/** A line of a table. The line is in the ledger, or in a file that is not recorded yet. */
export type ShownLine = Pick<UnmatchedLine, 'reason' | 'file' | 'line'> & Partial<UnmatchedLine>;

/** Renders lines. For an operator, each line that waits has a link to the form that explains it. */
export function lineTable(lines: readonly ShownLine[], reader: Reader): Html {
  const { language, operator } = reader;
  const { queue } = textsOf(language).reconciliation;
  const { columns } = queue;
  const isKept = lines.some(({ seenAt }) => seenAt !== undefined);
  const canExplain = isKept && operator.role === 'operator';
  return dataTable(
    queue.title,
    [
      columns.day,
      numeric(columns.amount),
      columns.kind,
      columns.payment,
      columns.why,
      columns.place,
      isKept && { text: columns.kept, wideOnly: true },
      canExplain && columns.act,
    ],
    lines.map((line) => [
      ...lineCells(line, reader),
      isKept && line.seenAt && moment(line.seenAt, reader),
      canExplain && html`<a href="${linePath(line.id ?? '')}" class="nowrap">${queue.explain}</a>`,
    ]),
  );
}

/** Returns the address of the form that explains all waiting lines of a run. */
export const runPath = (id: string): string => `/reconciliation/runs/${encodeURIComponent(id)}`;

export const linePath = (id: string): string => `/reconciliation/lines/${encodeURIComponent(id)}`;

function lineCells(line: ShownLine, { language, operator }: Reader): readonly (Html | string | undefined)[] {
  const { queue, reasons, kinds } = textsOf(language).reconciliation;
  const { date, amount, currency, kind, reason } = line;
  return [
    date && html`<time class="nowrap" datetime="${date}">${date}</time>`,
    amount && html`<span class="nowrap">${formatMoney(Number(amount), language, currency)}</span>`,
    kind && kinds[kind],
    paymentOf(line, operator),
    reasons[reason],
    queue.place(line.file, String(line.line)),
  ];
}

/**
 * Names the payment in the same way as the file. A viewer sees only the start of a session id. A viewer sees no reference, because the
 * reference may be a name.
 */
function paymentOf({ sessionId, referenceId }: ShownLine, { role }: Reader['operator']): Html | undefined {
  if (sessionId === undefined) {
    const shown = role === 'operator' ? referenceId : referenceId && MASK;
    return shown === undefined ? undefined : html`<span ${onOneLine(shown)}>${shown}</span>`;
  }
  return html`<code>${role === 'operator' ? sessionId : `${shortSessionId(sessionId) ?? ''}…`}</code>`;
}

function runsPart(runs: readonly ReconciliationRun[], reader: Reader): Html {
  const { language } = reader;
  const { title, columns, none, explain } = textsOf(language).reconciliation.runs;
  const canExplain = reader.operator.role === 'operator';
  if (runs.length === 0) return emptyState(none.heading, html`<p>${withCommands(none.body)}</p>`);
  const count = (value: number) => formatCount(value, language);
  return dataTable(
    title,
    [
      columns.began,
      columns.file,
      numeric(columns.recorded),
      numeric(columns.known),
      numeric(columns.unmatched),
      numeric(columns.resolved),
      columns.ended,
      canExplain && columns.act,
    ],
    runs.map(({ id, beganAt, file, recorded, known, unmatched, resolved, endedAt }) => [
      moment(beganAt, reader),
      file,
      count(recorded),
      count(known),
      count(unmatched),
      count(resolved),
      endedAt && moment(endedAt, reader),
      canExplain &&
        (unmatched === 0 ? undefined : html`<a href="${runPath(id)}" class="nowrap">${explain}</a>`),
    ]),
  );
}

function arrivalsPart({ arrivals, lateAfterDays, timeZone }: Reconciled, { language }: Reader): Html {
  const { reconciliation, payments } = textsOf(language);
  const { title, columns, days, none } = reconciliation.arrivals;
  if (arrivals.length === 0) return emptyState(none.heading, none.body);
  const isDirected = arrivals.some(({ direction }) => direction === 'CREDIT');
  const rows = arrivals.map((one) => [
    html`<time class="nowrap" datetime="${one.day}">${one.day}</time>`,
    isDirected && payments.directions[one.direction],
    formatCount(one.payments, language),
    ...[one.expected, one.arrived, one.returned, one.outstanding].map((sum) => sumCell(sum, language)),
    lateCell(one, language),
  ]);
  return html`${dataTable(
      title,
      [
        columns.day,
        isDirected && columns.direction,
        numeric(columns.payments),
        numeric(columns.expected),
        numeric(columns.arrived),
        numeric(columns.returned),
        numeric(columns.outstanding),
        numeric(columns.late),
      ],
      rows,
    )}
    <p class="soft">${days(timeZone, formatCount(lateAfterDays, language))}</p>`;
}

const sumCell = (sum: string, language: Language): Html | undefined =>
  Number(sum) === 0 ? undefined : html`<span class="nowrap">${formatMoney(Number(sum), language)}</span>`;

/** Links to the late payments of the day. */
const lateCell = ({ latePayments, day, direction }: ArrivalDay, language: Language): Html | undefined =>
  latePayments === 0
    ? undefined
    : html`<a href="${addressOfPayments({ money: LATE, direction, endedFrom: day, endedTo: day })}"
        >${formatCount(latePayments, language)}</a
      >`;

/** Renders the reason why a line has left the queue: its payment or its explanation. */
export function overNotice(line: UnmatchedLine, { language }: Reader): Html {
  const { explain } = textsOf(language).reconciliation;
  const { key, by, explanation } = line;
  return notice(
    'quiet',
    explain.over,
    key !== undefined
      ? html`<p>${explain.matchedWith} ${keyLink(key)}</p>`
      : html`<p>${explain.by(by ?? '', explanation ?? '')}</p>`,
  );
}
