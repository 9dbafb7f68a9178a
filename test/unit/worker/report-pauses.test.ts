import { expect, jest, test } from '@jest/globals';
import { pauseReports } from '../../../worker/webhooks/report-pauses';

test('a worker reports the accounts whose calls are paused, and those alone, though the ledger was away', async () => {
  const accountPaused = jest.fn<(account: string, cause: string) => Promise<void>>();
  accountPaused.mockRejectedValueOnce(new Error('away')).mockResolvedValue(undefined);
  const over = new AbortController();
  const reports = pauseReports({ opsConditions: { accountPaused } } as never);
  reports.observer.paused?.({ account: 'east', cause: 'SERVICE_FAILED' } as never);
  reports.observer.paused?.({ account: 'west', cause: 'SERVICE_UNREACHABLE' } as never);
  reports.observer.paused?.({ account: 'north', cause: 'SERVICE_FAILED' } as never);
  reports.observer.resumed?.({ account: 'north' });
  reports.watch(over.signal);
  await new Promise((resolve) => setImmediate(resolve));
  over.abort();
  expect(accountPaused.mock.calls).toEqual([
    ['east', 'SERVICE_FAILED'],
    ['west', 'SERVICE_UNREACHABLE'],
  ]);
});
