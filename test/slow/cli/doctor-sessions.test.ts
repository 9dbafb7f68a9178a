import { describe, expect, test } from '@jest/globals';
import { examine } from '../../../cli/commands/doctor/checks';
import { levelOf, type Finding } from '../../../cli/commands/doctor/finding';
import { paysession } from '../../support/cli/run-paysession';
import { closesLater, testLedger } from '../../support/ledger/test-ledger';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { createWorld, type World } from '../../support/worlds/world';

const envOf = ({ temporalAddress, taskQueue, account }: World): NodeJS.ProcessEnv => ({
  TEMPORAL_ADDRESS: temporalAddress,
  PAYSESSION_TASK_QUEUE: taskQueue,
  PAYSESSION_BASE_URL: account.baseUrl,
  PAYSESSION_CLIENT_ID: account.clientId,
  PAYSESSION_CLIENT_SECRET: account.clientSecret,
});

const examined = async (env: NodeJS.ProcessEnv, about: string): Promise<Finding | undefined> =>
  (await examine(env)).find(({ subject }) => subject === about);

describe('doctor and the open sessions', () => {
  const world = useWorld();

  test('names sessions that wait for a decision, prints the command that lists them, and exits 5', async () => {
    const env = envOf(world);
    expect(await examined(env, 'Sessions in trouble')).toMatchObject({
      ok: true,
      found: 'no session waits for a decision, and no session’s calls fail',
    });
    const { session } = await park(world);
    const finding = await until(
      () => examined(env, 'Sessions in trouble'),
      (one) => one?.ok === false,
    );
    expect(finding).toMatchObject({
      found: `1 waiting for a decision (${session.key})`,
      fix: expect.stringContaining('`paysession resolve KEY`'),
      commands: ['paysession list --problem parked'],
    });
    const { code, stdout } = await paysession(['doctor'], { env });
    expect([code, stdout]).toEqual([5, expect.stringContaining(`(${session.key})`)]);
    await session.resolveCreate({ abandon: true });
  });

  test('reads one open session’s details at the payment service, and names sessions whose calls fail', async () => {
    const env = envOf(world);
    const { session } = await world.sessions.open(world.input(leftOpen()));
    // A newer session of another task queue has an account of the same name. Doctor must not read that session.
    const elsewhere = await createWorld();
    closesLater(() => elsewhere.close());
    const { session: newer } = await elsewhere.sessions.open(elsewhere.input(leftOpen()));
    const details = (isOk: boolean) =>
      until(
        () => examined(env, 'Details (default)'),
        (one) => one?.ok === isOk,
      );
    expect(await details(true)).toMatchObject({
      found: `the payment service knows the open session ${session.key}`,
    });
    world.sandbox.failNext('details', { kind: 'status', status: 500 }, 1_000);
    expect((await details(false))?.found).toContain(`asked for the open session ${session.key}: `);
    expect(await examined(env, 'Payment service (default)')).toMatchObject({ ok: true });
    const failing = await until(
      () => examined(env, 'Sessions in trouble'),
      (one) => one?.ok === false,
    );
    expect(failing?.found).toContain(`(${session.key})`);
    world.sandbox.clearFaults();
    await Promise.all([session.cancelAndWait(), newer.cancelAndWait()]);
  }, 120_000);
});

describe('doctor and the workers’ ledger', () => {
  const subject = 'Ledger of the workers';

  test('reports a worker without a ledger if this machine has one', async () => {
    const { ledger, url } = await testLedger();
    const world = await createWorld({ ledger });
    closesLater(() => world.close());
    const env = { ...envOf(world), PAYSESSION_LEDGER_URL: url };
    // The Temporal server lists a worker after its first poll.
    const listed = await until(
      () => examined(env, subject),
      (one) => one !== undefined,
    );
    expect(listed).toEqual({ subject, ok: true, found: '1 of 1 have one' });
    await world.stopWorker();
    await world.startWorker({ hasLedger: false });
    const finding = await until(
      () => examined(env, subject),
      (one) => one?.ok === false,
    );
    expect(finding && levelOf(finding)).toBe('fault');
    expect(finding?.found).toMatch(/^1 of 1 have none: \d+@\S+ \(last polled/);
    expect(finding?.fix).toContain('PAYSESSION_LEDGER_URL');
    expect(await examined(envOf(world), subject)).toBeUndefined();
  });
});
