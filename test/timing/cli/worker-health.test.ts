import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RunningEngine } from '../../../src/temporal-server';
import { startEngineOn } from '../../support/worlds/own-engine';
import { failing, useProbes } from '../../support/cli/use-probes';
import { useSandbox } from '../../support/cli/use-sandbox';

const { env } = useSandbox();
const { probe, startWorker, untilReady } = useProbes(env);

/** A probe's answer is red within this time of the loss. */
const RED_WITHIN_MS = 10_000;

test('an engine that is lost turns a worker without traffic not ready within ten seconds, and ready again when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-health-'));
  const databaseFile = join(folder, 'engine.db');
  const engine = await startEngineOn({ databaseFile });
  const { address } = engine;
  const worker = startWorker({ TEMPORAL_ADDRESS: address });
  let again: RunningEngine | undefined;
  try {
    await untilReady(true);
    await engine.stop();
    const lost = await untilReady(false);
    expect(failing(lost)).toEqual(['engine']);
    expect(lost.tookMs).toBeLessThanOrEqual(RED_WITHIN_MS);
    expect((await probe('/livez')).status).toBe(200);
    again = await startEngineOn({ databaseFile, port: Number(address.split(':').at(-1)) });
    await untilReady(true);
  } finally {
    const code = await worker.interrupt();
    await (again ?? engine).stop();
    rmSync(folder, { recursive: true });
    expect(code).toBe(0);
  }
  expect(worker.errors().match(/WARN .*ENGINE_UNAVAILABLE/g)?.length).toBeLessThanOrEqual(2);
});
