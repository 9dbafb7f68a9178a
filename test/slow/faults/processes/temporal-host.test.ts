import { expect, test } from '@jest/globals';
import { sharedTemporal, type TemporalHost } from '../../../../chaos/faults/processes/temporal-host';

test('a campaign that shares a Temporal server never disturbs the server, and is notified if another campaign does', async () => {
  let restart: (process: string) => void = () => undefined;
  const host: TemporalHost = {
    address: '127.0.0.1:7233',
    killAndRestart: () => new Promise((resolve) => (restart = resolve)),
    leaveFor: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const { own, beside } = sharedTemporal(host);
  expect(beside.disturbances).toEqual([]);
  const struck = own.killAndRestart();
  expect(beside.disturbances).toMatchObject([{ quietFromMs: Infinity }]);
  restart('history-1');
  expect(await struck).toBe('history-1');
  const [{ atMs, quietFromMs } = { atMs: 0, quietFromMs: 0 }] = beside.disturbances ?? [];
  expect(quietFromMs).toBeGreaterThan(atMs);
  expect(quietFromMs).toBeLessThan(Infinity);
  await expect(beside.killAndRestart()).rejects.toThrow('others use this Temporal server');
  await expect(beside.leaveFor(1)).rejects.toThrow('others use this Temporal server');
});
