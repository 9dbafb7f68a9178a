import { expect, jest, test } from '@jest/globals';
import { pauseReports } from '../../../worker/webhooks/report-pauses';

/**
 * Starts a worker's reports of pauses, with a clock that the test sets. A pause is a time without calls to the payment service, such
 * as during an outage. The worker reports the pauses of its accounts to the ledger.
 */
function startReports() {
  const clock = { nowMs: 0 };
  const accountPaused = jest.fn<(account: string, cause: string) => Promise<void>>();
  accountPaused.mockResolvedValue(undefined);
  const shown: Record<string, boolean> = {};
  const show = (account: string, isPaused: boolean) => (shown[account] = isPaused);
  const reports = pauseReports({ opsConditions: { accountPaused } } as never, show, () => clock.nowMs);
  const { observer } = reports;
  /** Returns the pauses that the worker reports at this time. */
  const reportsAt = async (nowMs: number) => {
    clock.nowMs = nowMs;
    accountPaused.mockClear();
    const over = new AbortController();
    reports.watch(over.signal);
    await new Promise((resolve) => setImmediate(resolve));
    over.abort();
    return accountPaused.mock.calls;
  };
  const pause = (account: string, cause: string) =>
    observer.paused?.({ account, cause, calls: 'creates', forMs: 1_000 } as never);
  const call = (account: string, isPaused: boolean) =>
    observer.turnTaken?.({ account, call: 'create', waitedMs: 0, isPaused });
  const turnAway = (account: string, isPaused: boolean, retryAfterMs = 0) =>
    observer.turnedAway?.({ account, call: 'create', waitedMs: 0, isPaused, retryAfterMs });
  return { accountPaused, shown, observer, reportsAt, pause, call, turnAway };
}

test('a worker reports all accounts whose calls wait because of a pause, even if one of the reports fails', async () => {
  const { accountPaused, shown, observer, reportsAt, pause, call, turnAway } = startReports();
  pause('east', 'SERVICE_FAILED');
  turnAway('east', true);
  pause('west', 'SERVICE_UNREACHABLE');
  call('west', true);
  pause('north', 'SERVICE_FAILED');
  turnAway('north', true);
  observer.resumed?.({ account: 'north' });
  turnAway('south', true);
  expect(shown['north']).toBe(false);
  accountPaused.mockRejectedValueOnce(new Error('away'));
  expect(await reportsAt(1)).toEqual([
    ['east', 'SERVICE_FAILED'],
    ['west', 'SERVICE_UNREACHABLE'],
  ]);
});

test('a worker reports a pause of an account only while calls wait for its end', async () => {
  const { reportsAt, shown, pause, call, turnAway } = startReports();
  pause('default', 'SERVICE_FAILED');
  expect(await reportsAt(1)).toEqual([]);
  expect(shown).toEqual({ default: false });
  turnAway('default', true, 600_000);
  expect(await reportsAt(600_000)).toHaveLength(1);
  expect(shown).toEqual({ default: true });
  // The pause of the account is over.
  call('default', false);
  turnAway('default', false, 600_000);
  expect(await reportsAt(660_001)).toEqual([]);
  call('default', true);
  expect(await reportsAt(660_002)).toHaveLength(1);
  expect(await reportsAt(8 * 60 * 60_000)).toEqual([]);
  expect(shown).toEqual({ default: false });
});
