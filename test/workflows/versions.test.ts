import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { park } from '../support/park';
import { completing, leftOpen } from '../support/requests';
import { until } from '../support/wait';
import { useWorld } from '../support/worlds/use-world';

/** Bundles of earlier versions, kept by scripts/record-bundle.mjs. */
const BUNDLES = join(__dirname, '..', 'replay', 'bundles');

const world = useWorld();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-bundles-'));
  await world.stopWorker();
});

afterEach(() => world.stopWorker());

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function unpack(name: string): Promise<string> {
  const code = await promisify(brotliDecompress)(await readFile(join(BUNDLES, name)));
  const bundlePath = join(folder, name.replace(/\.br$/, ''));
  await writeFile(bundlePath, code);
  return bundlePath;
}

test('sessions of every earlier version go on with the current code', async () => {
  const names = await readdir(BUNDLES);
  expect(names).not.toEqual([]);
  for (const name of names) {
    await world.startWorker({ bundlePath: await unpack(name) });
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

  /** Makes a version the current one, as the Temporal CLI does on a deploy. */
  const setCurrent = (buildId: string) =>
    until(
      () =>
        world.client.workflowService
          .setWorkerDeploymentCurrentVersion({
            namespace: 'default',
            deploymentName: name,
            buildId,
            ignoreMissingTaskQueues: true,
          })
          .then(
            () => 'set' as const,
            (error: unknown) => error,
          ),
      (outcome) => outcome === 'set',
    );

  test('takes over the open sessions of the version before once it is the current one', async () => {
    await world.startWorker({ deployment: { name, buildId: 'v1' } });
    await setCurrent('v1');
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    await world.startWorker({ deployment: { name, buildId: 'v2' } });
    await setCurrent('v2');
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
    const { raw } = await world.client.workflow.getHandle(session.workflowId).describe();
    const { versioningInfo } = raw.workflowExecutionInfo ?? {};
    expect(versioningInfo?.deploymentVersion).toMatchObject({ deploymentName: name, buildId: 'v2' });
  });
});
