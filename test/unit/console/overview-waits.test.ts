import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Overview } from '../../../console/overview/overview-figures';
import type { Reading } from '../../../console/reading/reading';
import type { PaymentSessions } from '../../../src';

/** A Temporal server that is slower than a page waits for figures alone. */
const SLOW_MS = 250;

const seen = async <T>(value: T) => {
  await sleep(SLOW_MS);
  return { value, at: new Date() };
};

test('the overview opens with what needs an operator, and lets figures come later', async () => {
  const reading = {
    page: () => Promise.resolve({ sessions: [] }),
    workers: () => Promise.resolve([]),
    hasWorker: () => Promise.resolve(true),
    paymentsOf: () => Promise.resolve(undefined),
    count: () => seen(3),
    countNow: () => seen(3).then(({ value }) => value),
    countsOf: () => seen(new Map([['parked', 3]])),
  } as unknown as Reading;
  const sessions = { list: () => (async function* () {})() } as unknown as PaymentSessions;
  const shown = await new Overview(reading, { sessions, timeZone: 'UTC' }).read();
  expect(shown.parkedCount).toBe(3);
  expect(shown.problems).toEqual(new Map([['parked', 3]]));
  expect(shown.accounts).toEqual({ accounts: [] });
  expect(shown.ages).toBeUndefined();
});
