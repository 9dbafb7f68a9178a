import { expect, test } from '@jest/globals';
import { queuePage } from '../../../console/reconciliation/queue-page';
import type { Reader } from '../../../console/access/reader';
import type { ArrivalDay } from '../../../ledger/sessions/ledger-payments';
import { html } from '../../../src/web/html';

const READER = {
  operator: { name: 'Robin', role: 'operator' },
  language: 'EN',
  timeZone: 'UTC',
} as Reader;

const DAY: ArrivalDay = {
  ...{ day: '2026-05-01', direction: 'CREDIT', currency: 'CAD', payments: 2, expected: '50.00' },
  ...{ arrived: '0.00', returned: '0.00', outstanding: '50.00', outstandingPayments: 2, latePayments: 2 },
};

test('on the reconciliation page, the number of late payments links to the list of late payments of that day and direction', () => {
  const { text } = queuePage(
    {
      page: { lines: [] },
      totals: { count: 0, sums: [] },
      runs: [],
      arrivals: [DAY],
      lateAfterDays: 5,
      timeZone: 'UTC',
      isFirst: true,
    },
    html``,
    READER,
  );
  const [, address = ''] = /href="(\/payments[^"]+)"/.exec(text) ?? [];
  expect(
    Object.fromEntries(
      new URL(address.replaceAll('&amp;', '&').replaceAll('&#38;', '&'), 'http://a').searchParams,
    ),
  ).toEqual({
    money: 'late',
    direction: 'CREDIT',
    endedFrom: '2026-05-01',
    endedTo: '2026-05-01',
  });
});
