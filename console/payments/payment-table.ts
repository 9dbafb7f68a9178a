import { standingOf, type KnownOfSession, type Standing } from '../../src/protocol/state/standing';
import { dayOf } from '../../src/contract/values/day';
import { CUSTOMER } from '../../src/protocol/metadata';
import type { LedgerSession } from '../../ledger';
import { html, type Html } from '../../src/web/html';
import { formatMoney, type Language } from '../../src/web/language';
import { dataTable, NOTHING } from '../../src/web/shell/parts';
import { moment, type Locale } from '../../src/web/shell/time';
import { textsOf } from '../texts';
import { customerLink, explainedReturn, keyLink, onOneLine, standingBadge } from '../page';
import { wordsBeside } from '../texts/standings';
import { addressOf, sortText, type PaymentQuery } from './payment-query';

/** Renders a table of payments. With `query`, the headings of the amount, the start and the end sort the list. */
export function paymentTable(
  payments: readonly LedgerSession[],
  locale: Locale,
  /** The list's query. @default the columns do not sort */
  query?: PaymentQuery,
): Html {
  const { language } = locale;
  const { columns, title } = textsOf(language).payments;
  const hasCustomers = payments.some(({ metadata }) => metadata?.[CUSTOMER] !== undefined);
  const sorting = (by: PaymentQuery['order']['by']) =>
    query === undefined ? { text: columns[by] } : sortLink(columns[by], by, query, language);
  return dataTable(
    title,
    [
      columns.key,
      { ...sorting('amount'), numeric: true },
      columns.state,
      columns.money,
      { text: columns.kind, wideOnly: true },
      { text: columns.account, wideOnly: true },
      columns.reference,
      hasCustomers && columns.customer,
      sorting('claimed'),
      { ...sorting('ended'), wideOnly: true },
    ],
    payments.map((payment) => {
      const standing = standingOf(knownOf(payment));
      return [
        keyLink(payment.key),
        amountCell(payment, language),
        stateCell(payment, standing, language),
        moneyCell(payment, standing, language),
        html`<span class="nowrap">${payment.kind}</span>`,
        html`<span ${onOneLine(payment.account)}>${payment.account}</span>`,
        payment.referenceId && html`<span ${onOneLine(payment.referenceId)}>${payment.referenceId}</span>`,
        hasCustomers && payment.metadata?.[CUSTOMER] && customerLink(payment.metadata[CUSTOMER]),
        moment(payment.claimedAt, locale),
        payment.endedAt && moment(payment.endedAt, locale),
      ];
    }),
    'dense',
  );
}

/**
 * Returns a heading that sorts the list. The heading of the sorted column reverses the order. The other headings sort by their columns, the
 * largest value first.
 */
function sortLink(text: string, by: PaymentQuery['order']['by'], query: PaymentQuery, language: Language) {
  const { sorted } = textsOf(language).payments;
  const { order } = query;
  const isSorted = order.by === by;
  const direction = isSorted && order.direction === 'desc' ? 'asc' : 'desc';
  const arrow = order.direction === 'desc' ? '↓' : '↑';
  const heading = html`<a href="${addressOf(query, { sort: sortText({ by, direction }) })}">${text}</a>
    ${isSorted && html`<span role="img" aria-label="${sorted[order.direction]}">${arrow}</span>`}`;
  return { text, heading, ...(isSorted && { sorted: order.direction }) };
}

/** Formats dollars. Adds a word to money out. Returns `undefined` if the payor has not chosen the amount yet. */
export function amountCell(
  { amount, direction }: Pick<LedgerSession, 'amount' | 'direction'>,
  language: Language,
): Html | undefined {
  const shown =
    amount === undefined ? undefined : html`<span class="nowrap">${formatMoney(amount, language)}</span>`;
  if (direction === 'DEBIT') return shown;
  return html`${shown ?? NOTHING}
    <span class="soft nowrap">${textsOf(language).payments.directions[direction]}</span>`;
}

/**
 * Renders the place of the money. Settled or returned money has a day. The day comes from the payment service's file and has no time zone.
 */
export function moneyCell(
  { money, settledAt, returnedAt, returnCode, handledAt }: LedgerSession,
  standing: Standing,
  language: Language,
): Html | string | undefined {
  const texts = textsOf(language).payments.money;
  const at = returnedAt ?? settledAt;
  if (at !== undefined) {
    const day = dayOf(at);
    // The state in the same row already says that the money came back.
    const what = standing === 'returned' ? '' : texts[money];
    return html`${what}
      <span class="nowrap"><time datetime="${day}">${day}</time></span>
      ${explainedReturn(returnCode, language)}
      ${handledAt !== undefined && html`<span class="soft">${textsOf(language).session.facts.handled}</span>`}`;
  }
  return money === 'paid' ? texts.paid : undefined;
}

function stateCell(payment: LedgerSession, standing: Standing, language: Language): Html {
  const words = wordsBeside(standing, payment);
  return html`${standingBadge(standing, language)}
  ${words !== '' && html`<code class="nowrap">${words}</code>`}`;
}

const beforeStatus = ({ sessionId, parked }: Pick<LedgerSession, 'sessionId' | 'parked'>) =>
  parked ? 'parked' : sessionId === undefined ? 'creating' : 'open';

/** Returns the facts that decide a payment's standing, its situation in a few words. An open session has no outcome yet. */
function knownOf({ outcome, returnedAt, ...payment }: LedgerSession): KnownOfSession {
  const returned = returnedAt !== undefined;
  return outcome === 'open'
    ? { ...payment, ...(payment.status === undefined && { phase: beforeStatus(payment) }), returned }
    : { ...payment, outcome, phase: 'ended', returned };
}
