import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eft, expectProblem } from '../../support/sandbox/requests-to-sandbox';
import { startControl } from '../../support/sandbox/control/start-control';

// A57 is a rule of the contract (docs/contract.md).

describe('the sandbox’s clock over HTTP', () => {
  test('A57 runs on from the time to which it was advanced', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft());
    expect((await control.get('/clock')).body).toEqual({ now: '2026-01-01T00:00:00.000Z', offsetMs: 0 });
    const moved = await control.post('/clock/advance', { byMs: 899_999 });
    expect(moved.body).toEqual({ now: '2026-01-01T00:14:59.999Z', offsetMs: 899_999 });
    expect((await control.service.status(sessionId)).body['status']).toBe('Initiated');
    control.service.clock.advance(1);
    expect((await control.get('/clock')).body['now']).toBe('2026-01-01T00:15:00.000Z');
    expect((await control.service.status(sessionId)).body['statusDetails']).toBe('EFT0601');
  });

  test.each([0, -1, 1.5, '1000', 1e15])('cannot be advanced by %j ms', async (byMs) => {
    expectProblem(await (await startControl()).post('/clock/advance', { byMs }), 400);
  });

  test('can be at most a hundred years ahead', async () => {
    const control = await startControl();
    const tenYears = { byMs: 10 * 365 * 86_400_000 };
    for (let count = 0; count < 10; count += 1)
      expect((await control.post('/clock/advance', tenYears)).status).toBe(200);
    expectProblem(await control.post('/clock/advance', { byMs: 1 }), 409);
  });

  test('stays advanced after a restart of a sandbox with a data folder', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'paysession-control-'));
    try {
      const dataDir = join(parent, 'data');
      const first = await startControl({ dataDir });
      await first.post('/clock/advance', { byMs: 5_000 });
      await first.service.sandbox.close();
      const second = await startControl({ dataDir });
      expect((await second.get('/clock')).body['offsetMs']).toBe(5_000);
      await second.service.sandbox.close();
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});
