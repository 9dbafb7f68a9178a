import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RunningTemporalServer } from '../../../src/temporal-server';
import { startTemporalServerOn } from '../../support/worlds/own-temporal';
import { failing, useProbes } from '../../support/cli/use-probes';
import { useSandbox } from '../../support/cli/use-sandbox';

const { env } = useSandbox();
const { probe, startWorker, untilReady } = useProbes(env);

/** The readiness probe must fail within this time after the Temporal server is lost. */
const RED_WITHIN_MS = 10_000;

test('an idle worker reports that it is not ready within ten seconds after the Temporal server is lost, and is ready again once the server is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-health-'));
  const databaseFile = join(folder, 'temporal.db');
  const temporal = await startTemporalServerOn({ databaseFile });
  const { address } = temporal;
  const worker = startWorker({ TEMPORAL_ADDRESS: address });
  let again: RunningTemporalServer | undefined;
  try {
    await untilReady(true);
    await temporal.stop();
    const lost = await untilReady(false);
    expect(failing(lost)).toEqual(['temporal']);
    expect(lost.tookMs).toBeLessThanOrEqual(RED_WITHIN_MS);
    expect((await probe('/livez')).status).toBe(200);
    again = await startTemporalServerOn({ databaseFile, port: Number(address.split(':').at(-1)) });
    await untilReady(true);
  } finally {
    const code = await worker.interrupt();
    await (again ?? temporal).stop();
    rmSync(folder, { recursive: true });
    expect(code).toBe(0);
  }
  expect(worker.errors().match(/WARN .*TEMPORAL_UNAVAILABLE/g)?.length).toBeLessThanOrEqual(2);
});
