import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { Overview } from '../../../console/overview/overview-figures';
import type { Reading } from '../../../console/reading/reading';
import type { ConsoleLedger } from '../../../console/options';
import { PaysessionError } from '../../../src/errors';
import type { PaymentSessions } from '../../../src';

/** The Temporal server's delay. A page does not wait that long for a figure that needs no action of an operator. */
const SLOW_MS = 250;

const slowly = async <T>(value: T) => {
  await sleep(SLOW_MS);
  return { value, at: new Date() };
};

const reading = {
  page: () => Promise.resolve({ sessions: [] }),
  workers: () => Promise.resolve([]),
  hasWorker: () => Promise.resolve(true),
  paymentsOf: () => Promise.resolve(undefined),
  count: () => slowly(3),
  countNow: () => slowly(3).then(({ value }) => value),
  countsOf: () => slowly(new Map([['parked', 3]])),
} as unknown as Reading;
const sessions = { list: () => (async function* () {})() } as unknown as PaymentSessions;

test('the overview waits for figures that need an operator’s action, and shows other figures later', async () => {
  const shown = await new Overview(reading, { sessions, timeZone: 'UTC' }).read();
  expect(shown.parkedCount).toBe(3);
  expect(shown.problems).toEqual(new Map([['parked', 3]]));
  expect(shown.accounts).toEqual({ accounts: [] });
  expect(shown.ages).toBeUndefined();
});

test('the overview reports an unavailable ledger even while the ledger’s sums of money are cached', async () => {
  const unavailable = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'unavailable'));
  const payments = {
    page: () => Promise.resolve({ payments: [] }),
    totals: () => Promise.resolve({ count: 0, sums: [] }),
    days: () => Promise.resolve([]),
  };
  const unmatched = { totals: () => Promise.resolve({ count: 0 }) };
  const ledger = { payments, unmatched } as unknown as ConsoleLedger;
  const overview = new Overview(reading, { sessions, ledger, timeZone: 'UTC' });
  const before = await overview.read();
  expect(before).toMatchObject({ returns: { count: 0 }, open: { late: 0, lines: 0 } });

  Object.assign(payments, { page: unavailable, totals: unavailable, days: unavailable });
  const nowMs = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs + 120_000);
  const shown = await overview.read();
  clock.mockRestore();
  const unread = { unread: 'LEDGER_UNAVAILABLE' };
  expect(shown).toMatchObject({ returns: unread, open: unread, money: before.money });
});

test('the overview shows the figures of a ledger that does not answer as still being counted', async () => {
  const hangs = () => new Promise<never>(() => undefined);
  const payments = { page: hangs, totals: hangs, days: hangs };
  const ledger = { payments, unmatched: { totals: hangs } } as unknown as ConsoleLedger;
  const shown = await new Overview(reading, { sessions, ledger, timeZone: 'UTC' }).read();
  expect(shown).toMatchObject({ returns: 'counting', open: 'counting', money: 'counting' });
});
