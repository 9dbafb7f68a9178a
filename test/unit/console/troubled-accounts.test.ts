import { expect, test } from '@jest/globals';
import type { Reading } from '../../../console/reading/reading';
import type { SessionSummary } from '../../../src';
import { conditionsOf, type SessionFilter } from '../../../src/sessions/list/filter';
import { troubledAccounts } from '../../../console/overview/overview-figures';

const failing = (account: string, minute: number): SessionSummary => ({
  key: `order-${minute}`,
  runId: `run-${minute}`,
  running: true,
  paid: false,
  problems: ['serviceFailing'],
  startedAt: new Date(Date.UTC(2031, 4, 6, 12, minute)),
  account,
});

test('if the index cannot be queried for an account’s name, only the sessions that were read count for this account', async () => {
  const sessions = [failing("Brien's'", 3), failing('shop', 2), failing("Brien's'", 1)];
  const reading = {
    page: () => Promise.resolve({ sessions }),
    count: async (filter: SessionFilter) => {
      conditionsOf(filter);
      return Promise.resolve({ value: 9, at: new Date() });
    },
  } as unknown as Reading;
  expect((await troubledAccounts(reading)).accounts).toEqual([
    { account: 'shop', failing: 9, open: 9, oldest: sessions[1]?.startedAt },
    { account: "Brien's'", failing: 2, open: 2, oldest: sessions[2]?.startedAt },
  ]);
});
