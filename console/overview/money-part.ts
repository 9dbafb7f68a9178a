import { html, type Html } from '../../src/web/html';
import { formatCount, formatMoney, LOCALES, type Language } from '../../src/web/language';
import { dataTable, disclosure, emptyState, numeric, type Tone } from '../../src/web/shell/parts';
import { addressOfPayments } from '../payments/payment-query';
import type { ReaderLocale } from '../access/reader';
import { textsOf, type Texts } from '../texts';
import { columnChart, type Series } from './charts';
import {
  byAccount,
  byDay,
  byDirection,
  lastDays,
  sumsOf,
  WEEK_DAYS,
  type DirectedMoney,
  type MoneyDays,
  type Sum,
  type Sums,
} from './money-days';
import { FIGURES } from '../../ledger/sessions/ledger-payments';
import type { Direction } from '../../ledger/sessions/summary';

/** The maximum number of rows in the table by account. Each row is for one account and one kind of payment. */
const MAX_ACCOUNT_ROWS = 10;

/**
 * Renders the payments that were opened, paid, settled and returned: today, in the last week, by account and kind, and day by day. Money in
 * and money out have separate tables. If all money is money in, no text mentions directions.
 */
export function moneyPart(money: MoneyDays, reader: ReaderLocale): Html {
  const texts = textsOf(reader.language).overview.money;
  const parts = byDirection(money);
  if (parts.length === 0) return emptyState(texts.none.heading, texts.none.body);
  // `CREDIT` is money out.
  const isHeaded = parts.some(({ direction }) => direction === 'CREDIT');
  return html`${parts.map((part) => directionPart(part, reader, isHeaded))}
    <p class="soft">${texts.days(reader.timeZone)}</p>`;
}

/** Renders the payments of one direction, under its heading if `isHeaded`. */
function directionPart(
  { direction, money }: DirectedMoney,
  { language }: ReaderLocale,
  isHeaded: boolean,
): Html {
  const { overview, payments } = textsOf(language);
  const texts = overview.money;
  const name = payments.directions[direction];
  const titled: Titled = (title) => (isHeaded ? `${name} – ${title}` : title);
  const week = lastDays(money, WEEK_DAYS);
  const periods: readonly (readonly [string, Sums])[] = [
    [texts.today(money.today), sumsOf(lastDays(money, 1))],
    [texts.week, sumsOf(week)],
  ];
  return html`${isHeaded && html`<h3>${name}</h3>`}
  ${dataTable(
    titled(texts.title),
    [texts.period, ...figureColumns(texts), numeric(texts.converted)],
    periods.map(([period, sums]) => [period, ...figureCells(sums, language), convertedCell(sums, language)]),
  )}
  ${charts(money, language, titled)} ${accountsTable(week, language, { direction, isHeaded, titled })}`;
}

/** Adds the direction to a title, if the directions have headings. */
type Titled = (title: string) => string;

const figureColumns = (texts: Texts['overview']['money']) =>
  FIGURES.map((figure) => numeric(texts.figures[figure]));

const figureCells = (sums: Sums, language: Language): readonly (Html | undefined)[] =>
  FIGURES.map((figure) => sumCell(sums[figure], language));

const sumCell = ({ count, cents }: Sum, language: Language): Html | undefined =>
  count === 0
    ? undefined
    : html`<strong>${formatCount(count, language)}</strong> ·
        <span class="nowrap">${formatMoney(cents / 100, language)}</span>`;

/** Renders the percentage of the opened payments that are paid. */
const convertedCell = ({ opened }: Sums, language: Language): string | undefined =>
  opened.count === 0
    ? undefined
    : (opened.paid / opened.count).toLocaleString(LOCALES[language], {
        style: 'percent',
        maximumFractionDigits: 0,
      });

function charts(money: MoneyDays, language: Language, titled: Titled): Html {
  const texts = textsOf(language).overview.money;
  const { opened, paid, settled, returned } = texts.figures;
  const days = byDay(money);
  const series = (text: string, tone: Tone, of: (sums: Sums) => number): Series => {
    return { text, tone, values: days.map(({ sums }) => of(sums)) };
  };
  const labels = days.map(({ day }) => day);
  return html`<div class="columns">
      ${columnChart({
        label: titled(texts.perDay),
        labels,
        series: [
          series(opened, 'quiet', (sums) => sums.opened.count),
          series(paid, 'good', (sums) => sums.paid.count),
        ],
        format: (value) => formatCount(value, language),
      })}
      ${columnChart({
        label: titled(texts.moneyPerDay),
        labels,
        series: [
          series(paid, 'good', (sums) => sums.paid.cents),
          series(settled, 'busy', (sums) => sums.settled.cents),
          series(returned, 'attention', (sums) => sums.returned.cents),
        ],
        format: (cents) => shortMoney(cents, language),
      })}
    </div>
    ${disclosure(
      titled(texts.asTable),
      dataTable(
        titled(texts.perDay),
        [texts.day, ...figureColumns(texts)],
        days.map(({ day, sums }) => [day, ...figureCells(sums, language)]),
      ),
    )}`;
}

/** Formats an amount in few characters, because the axis has little space. */
const shortMoney = (cents: number, language: Language): string =>
  (cents / 100).toLocaleString(LOCALES[language], {
    style: 'currency',
    currency: 'CAD',
    notation: 'compact',
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  });

interface AccountsTableOptions {
  readonly direction: Direction;
  readonly isHeaded: boolean;
  readonly titled: Titled;
}

function accountsTable(
  week: Parameters<typeof byAccount>[0],
  language: Language,
  { direction, isHeaded, titled }: AccountsTableOptions,
): Html {
  const texts = textsOf(language).overview.money;
  const all = byAccount(week);
  if (all.length < 2) return html``;
  const shown = all.slice(0, MAX_ACCOUNT_ROWS);
  const title = titled(texts.byAccount);
  return html`${isHeaded ? html`<h4>${title}</h4>` : html`<h3>${title}</h3>`}
  ${dataTable(
    title,
    [texts.account, texts.kind, ...figureColumns(texts), numeric(texts.converted)],
    shown.map(({ account, kind, sums }) => [
      html`<a href="${addressOfPayments({ account, kind, ...(isHeaded && { direction }) })}">${account}</a>`,
      kind,
      ...figureCells(sums, language),
      convertedCell(sums, language),
    ]),
  )}
  ${all.length > shown.length && html`<p class="soft">${texts.others(formatCount(all.length - shown.length, language))}</p>`}`;
}
