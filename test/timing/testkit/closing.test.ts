import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { createPaymentWorld, type PaymentWorld } from '../../../testkit';
import { KeptServers } from '../../../testkit/kept-servers';
import { untilNativeRuntimeEnds } from '../../support/native-runtime';
import { testBundle } from '../../support/setup/global-values';
import { eft } from '../../support/requests';

// If the test server is killed, the world's worker ends some seconds after the world.
afterAll(untilNativeRuntimeEnds);

const makeWorld = () => createPaymentWorld({ bundlePath: testBundle() });

/** Kills the test server of this world, which is found by its port. Other test servers keep running. */
function killServer({ client }: PaymentWorld): void {
  const { connection } = client;
  if (!(connection instanceof Connection)) throw new TypeError('the connection has no address');
  const port = connection.options.address.split(':')[1] ?? '';
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const servers = processes.filter(
    (line) => line.includes(`${port} --enable-time-skipping`) && !line.includes('guard.js'),
  );
  expect(servers).toHaveLength(1);
  process.kill(Number.parseInt(servers[0] ?? '', 10), 'SIGKILL');
}

/** Without a guard, Temporal's worker would try for ten seconds, or forever, to report its work to the lost server. */
const SOON_MS = 5_000;

const GONE = {
  code: 'TEMPORAL_UNAVAILABLE',
  message: expect.stringMatching(/test server .* had ended before/),
};

async function expectClosesSoon(world: PaymentWorld): Promise<void> {
  const startedAtMs = performance.now();
  await expect(world.close()).rejects.toMatchObject(GONE);
  expect(performance.now() - startedAtMs).toBeLessThan(SOON_MS);
  // A second close does not report the failure again.
  await world.close();
}

/** Kills the server while the world skips time and the worker is running tasks. */
async function killWhileItWorks(world: PaymentWorld): Promise<void> {
  const { session } = await world.sessions.open({ key: 'order-1', request: eft() });
  const polls = () => world.service.audit({ route: 'details' }).length;
  const polled = polls();
  const failed = expect(session.result()).rejects.toMatchObject({ code: 'TEMPORAL_UNAVAILABLE' });
  while (polls() < polled + 3) await setImmediate();
  killServer(world);
  await failed;
}

test('a world whose test server was killed closes within seconds, with an error that says so', async () => {
  const world = await makeWorld();
  const { url } = world.sandbox;
  await killWhileItWorks(world);
  await expectClosesSoon(world);
  // The sandbox is closed, too.
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

// Servers that are kept between worlds are lent to one world at a time.
test('a world whose lent test server was killed closes within seconds, and the next world gets another server', async () => {
  const kept = await KeptServers.start(() => undefined);
  try {
    const world = await makeWorld();
    await killWhileItWorks(world);
    await expectClosesSoon(world);
    await (await makeWorld()).close();
  } finally {
    await kept.stop();
  }
});

test('a world can be closed twice, even at the same time', async () => {
  const world = await makeWorld();
  await Promise.all([world.close(), world.close()]);
  await world.close();
});
