import { expect, test } from '@jest/globals';
import type { DayFigure } from '../../../ledger';
import { byAccount, byDay, lastDays, sumsOf, type MoneyDays } from '../../../console/overview/money-days';
import { moneyPart } from '../../../console/overview/money-part';
import { plain } from '../../support/console/session-page';

const figure = (own: Partial<DayFigure>): DayFigure => ({
  figure: 'paid',
  day: '2026-03-31',
  account: 'default',
  kind: 'EFT',
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

test('what happened in some days adds up to the cent', () => {
  const { opened, paid, settled, returned } = sumsOf(lastDays(MONEY, 7));
  expect(opened).toEqual({ count: 4, paid: 3, cents: 4_000 });
  expect(paid).toMatchObject({ count: 3, cents: 100_000_030 });
  expect(settled).toMatchObject({ count: 1, cents: 707 });
  // The day before those seven.
  expect(returned).toMatchObject({ count: 0, cents: 0 });
});

test('each of thirty days is there, also one on which nothing happened', () => {
  const days = byDay(MONEY);
  expect(days.map(({ day }) => day).filter((_day, index) => index % 29 === 0)).toEqual([
    '2026-03-02',
    '2026-03-31',
  ]);
  expect(days).toHaveLength(30);
  expect(days[0]?.sums.paid.cents).toBe(300);
  expect(days[1]?.sums.paid.count).toBe(0);
});

test('accounts come with most money first, each kind by itself', () => {
  expect(byAccount(MONEY.figures).map(({ account, kind }) => `${account} ${kind}`)).toEqual([
    'default EFT',
    'default e-Transfer',
    'west EFT',
  ]);
});

test('the page says the day, the sums, and how many of those that were opened are paid', () => {
  const told = (language: 'EN' | 'FR') =>
    plain(moneyPart(MONEY, { language, timeZone: 'America/Toronto' }).text);
  const english = told('EN');
  expect(english).toContain('Today, 2026-03-31 4 · $40.00 CAD 3 · $1,000,000.30 CAD – – 75%');
  expect(english).toContain('Last 7 days 4 · $40.00 CAD 3 · $1,000,000.30 CAD 1 · $7.07 CAD – 75%');
  expect(english).toContain('$2M');
  expect(told('FR')).toMatch(/Aujourd’hui, 2026-03-31 4 · 40,00\s\$ CAD/);
  const none = moneyPart({ ...MONEY, figures: [] }, { language: 'EN', timeZone: 'UTC' });
  expect(plain(none.text)).toContain('No payments in the last 30 days');
});
