import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { setCurrentVersion, versionOf } from '../../support/deployments';
import { unpackBundles, unpackReleasedBundles } from '../../support/earlier-bundles';
import { park } from '../../support/park';
import { completing, leftOpen } from '../../support/requests';
import { testBundle } from '../../support/setup/global-values';
import { useWorld } from '../../support/worlds/use-world';

const RECORD_BUNDLE = join(__dirname, '..', '..', '..', 'scripts', 'record-bundle.mjs');

const world = useWorld({ startsWorker: false });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-bundles-'));
});

afterEach(() => world.stopWorker());

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Unpacks the recorded bundles of all released versions, and records a bundle of the current code. Returns their paths. */
async function recordedBundles(): Promise<readonly string[]> {
  const recorded = join(folder, 'recorded');
  await promisify(execFile)(process.execPath, [RECORD_BUNDLE, 'current', recorded, testBundle()]);
  return [...(await unpackReleasedBundles(folder)), ...(await unpackBundles(recorded, folder))];
}

test('sessions that began with any recorded bundle go on with the current code', async () => {
  for (const bundlePath of await recordedBundles()) {
    await world.startWorker({ bundlePath });
    const { session: parked } = await park(world, completing());
    const followed = await world.sessions.open(world.input(leftOpen()));
    const cancelled = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    await world.startWorker();
    world.payor(followed.sessionId).completes();
    expect(await followed.session.result()).toMatchObject({
      status: 'Completed',
      code: 'EFT0301',
      anomalies: [],
    });
    expect(await cancelled.session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
    await parked.resolveCreate({ retry: true });
    expect(await parked.result()).toMatchObject({
      status: 'Completed',
      anomalies: [{ kind: 'possibleOrphan' }],
    });
    await world.stopWorker();
  }
});

describe('a versioned worker', () => {
  const name = `payments-${randomUUID()}`;

  test('takes over the open sessions of the previous version once its version is current', async () => {
    await world.startWorker({ deployment: { name, buildId: 'v1' } });
    await setCurrentVersion(world, { name, buildId: 'v1' });
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    await world.startWorker({ deployment: { name, buildId: 'v2' } });
    await setCurrentVersion(world, { name, buildId: 'v2' });
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
    expect(await versionOf(world, session)).toBe('v2');
  });
});
