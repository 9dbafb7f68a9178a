import { describe, expect, test } from '@jest/globals';
import {
  byAccount,
  byDay,
  byDirection,
  lastDays,
  sumsOf,
  type MoneyDays,
} from '../../../console/overview/money-days';
import { moneyPart } from '../../../console/overview/money-part';
import { plain } from '../../support/console/session-page';
import type { DayFigure } from '../../../ledger/sessions/ledger-payments';

const figure = (own: Partial<DayFigure>): DayFigure => ({
  figure: 'paid',
  day: '2026-03-31',
  account: 'default',
  kind: 'EFT',
  direction: 'DEBIT',
  currency: 'CAD',
  count: 1,
  paid: 1,
  amount: '0.10',
  ...own,
});

const MONEY: MoneyDays = {
  today: '2026-03-31',
  figures: [
    figure({ figure: 'opened', count: 4, paid: 3, amount: '40.00' }),
    figure({ count: 2, amount: '1000000.20' }),
    figure({ account: 'west', amount: '0.10' }),
    figure({ day: '2026-03-25', figure: 'settled', amount: '7.07' }),
    figure({ day: '2026-03-24', figure: 'returned', amount: '5.00' }),
    figure({ day: '2026-03-02', kind: 'e-Transfer', amount: '3.00' }),
  ],
};

test('the sums of several days are exact to the cent', () => {
  const { opened, paid, settled, returned } = sumsOf(lastDays(MONEY, 7));
  expect(opened).toEqual({ count: 4, paid: 3, cents: 4_000 });
  expect(paid).toMatchObject({ count: 3, cents: 100_000_030 });
  expect(settled).toMatchObject({ count: 1, cents: 707 });
  // The return was eight days ago.
  expect(returned).toMatchObject({ count: 0, cents: 0 });
});

test('each of the last thirty days is listed, even a day without payments', () => {
  const days = byDay(MONEY);
  expect(days.map(({ day }) => day).filter((_day, index) => index % 29 === 0)).toEqual([
    '2026-03-02',
    '2026-03-31',
  ]);
  expect(days).toHaveLength(30);
  expect(days[0]?.sums.paid.cents).toBe(300);
  expect(days[1]?.sums.paid.count).toBe(0);
});

test('accounts are listed by the amount of money, largest first, with a row for each kind', () => {
  expect(byAccount(MONEY.figures).map(({ account, kind }) => `${account} ${kind}`)).toEqual([
    'default EFT',
    'default e-Transfer',
    'west EFT',
  ]);
});

test('the page shows the day, its sums, and the share of opened payments that are paid', () => {
  const shownIn = (language: 'EN' | 'FR') =>
    plain(moneyPart(MONEY, { language, timeZone: 'America/Toronto' }).text);
  const english = shownIn('EN');
  expect(english).toContain('Today, 2026-03-31 4 · $40.00 CAD 3 · $1,000,000.30 CAD – – 75%');
  expect(english).toContain('Last 7 days 4 · $40.00 CAD 3 · $1,000,000.30 CAD 1 · $7.07 CAD – 75%');
  expect(english).toContain('$2M');
  expect(shownIn('FR')).toMatch(/Aujourd’hui, 2026-03-31 4 · 40,00\s\$ CAD/);
  const none = moneyPart({ ...MONEY, figures: [] }, { language: 'EN', timeZone: 'UTC' });
  expect(plain(none.text)).toContain('No payments in the last 30 days');
});

describe('money out', () => {
  const credit = { kind: 'e-Transfer', direction: 'CREDIT' } as const;
  const both: MoneyDays = {
    ...MONEY,
    figures: [
      ...MONEY.figures,
      figure({ ...credit, amount: '12.50' }),
      figure({ ...credit, account: 'west', day: '2026-03-30', figure: 'settled', amount: '7.00' }),
    ],
  };
  const shown = (language: 'EN' | 'FR') => moneyPart(both, { language, timeZone: 'UTC' }).text;

  test('is summed separately from money in', () => {
    const [moneyIn, moneyOut] = byDirection(both);
    expect(moneyIn?.money).toEqual(MONEY);
    expect(sumsOf(moneyOut?.money.figures ?? []).paid.cents).toBe(1_250);
    expect(byDirection(MONEY).map(({ direction }) => direction)).toEqual(['DEBIT']);
  });

  test('has a heading, tables and charts of its own', () => {
    const english = plain(shown('EN'));
    expect(english).toContain('Last 7 days 4 · $40.00 CAD 3 · $1,000,000.30 CAD 1 · $7.07 CAD – 75%');
    expect(english).toContain('Last 7 days – 1 · $12.50 CAD 1 · $7.00 CAD – –');
    const labels = [...shown('EN').matchAll(/aria-label="(Money [^"]*|Payments[^"]*)"/g)].map(
      ([, label]) => label,
    );
    expect(labels).toContain('Money out – Money per day, last 30 days');
    expect(new Set(labels.filter((label) => label?.startsWith('Money out'))).size).toBeGreaterThan(3);
    expect(shown('EN')).toContain('<h3>Money in</h3>');
    expect(shown('FR')).toContain('<h3>Argent versé</h3>');
    expect(shown('EN')).toContain('direction=CREDIT');
    expect(moneyPart(MONEY, { language: 'EN', timeZone: 'UTC' }).text).not.toContain('Money in');
  });
});
