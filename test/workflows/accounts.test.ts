import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PaymentSessionInput } from '../../src';
import { createSandbox, type Sandbox } from '../../sandbox';
import { eft } from '../support/requests';
import { stateOf, until } from '../support/wait';
import { createWorld, type World } from '../support/world';

const CALLS_PER_SECOND = 10;

let world: World;
/** The payment service of a second merchant, and of a third whose calls are limited. */
let second: Sandbox;
let limited: Sandbox;

const accountAt = async (sandbox: Sandbox) => {
  const { url: baseUrl } = await sandbox.listen();
  return { baseUrl, clientId: 'sandbox-client', clientSecret: 'sandbox-secret' };
};

beforeAll(async () => {
  second = createSandbox();
  limited = createSandbox();
  world = await createWorld({
    otherAccounts: {
      second: await accountAt(second),
      limited: { ...(await accountAt(limited)), callsPerSecond: CALLS_PER_SECOND },
    },
  });
});

afterAll(async () => {
  await world.close();
  await second.close();
  await limited.close();
});

const of = (account: string, referenceId: string): PaymentSessionInput => ({
  ...world.input(eft(referenceId)),
  account,
});

const open = (account: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, () => world.sessions.open(of(account, 'sandbox-stays-initiated'))),
  );

const callsOf = ({ calls }: Sandbox, name: string) => calls.filter(({ route }) => route === name);

test('each account has its own service and credentials', async () => {
  const [opened] = await open('second', 1);
  expect(second.session(opened?.sessionId ?? '')).toBeDefined();
  expect(world.sandbox.session(opened?.sessionId ?? '')).toBeUndefined();
});

test('an account that the worker does not know fails its session, and says so', async () => {
  const session = await world.sessions.start(of('unheard-of', 'sandbox-completes'));
  await expect(session.result()).rejects.toMatchObject({ code: 'UNKNOWN_ACCOUNT' });
});

test('an open session whose account the worker lost goes on once it has it again, and says so meanwhile', async () => {
  const { session } = await world.sessions.open(of('second', 'sandbox-stays-initiated'));
  await world.stopWorker();
  await world.startWorker({ without: 'second' });
  const { trouble } = await stateOf(session, (state) => state.trouble !== undefined);
  expect(trouble).toMatchObject({ code: 'UNKNOWN_ACCOUNT' });
  await world.stopWorker();
  await world.startWorker();
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

describe('when the service of one account is down', () => {
  test('its polls pause together, its cancels go on, and the other account notices nothing', async () => {
    const opened = await open('second', 6);
    second.failNext('details', { kind: 'status', status: 503 }, 1_000);
    for (const { session } of opened) {
      await stateOf(session, ({ trouble }) => trouble?.code === 'SERVICE_PAUSED');
    }
    const failedPolls = callsOf(second, 'details').filter(({ status }) => status === 503);
    expect(failedPolls.length).toBeLessThan(20);

    const elsewhere = await world.sessions.start(world.input(eft('sandbox-completes')));
    expect(await elsewhere.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    const [cancelled] = opened;
    expect(await cancelled?.session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });

    second.clearFaults();
    await Promise.all(
      opened.slice(1).map(({ session }) => stateOf(session, ({ trouble }) => trouble === undefined)),
    );
  });
});

describe('a rate limit', () => {
  test('holds for all sessions of the account together, and no cancel waits for it', async () => {
    const opened = await open('limited', 8);
    const details = () => callsOf(limited, 'details');
    await until(
      () => Promise.resolve(details().length),
      (count) => count >= 4 * CALLS_PER_SECOND,
    );
    const replies = await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
    expect(new Set(replies.map(({ outcome }) => outcome))).toEqual(new Set(['cancelled']));
    const times = details().map(({ at }) => Date.parse(at));
    const inTheSecondAfter = times.map(
      (start) => times.filter((time) => time >= start && time < start + 1_000).length,
    );
    // One second's calls may have been saved up, and a call may arrive a little late.
    expect(Math.max(...inTheSecondAfter)).toBeLessThanOrEqual(2 * CALLS_PER_SECOND + 2);
  });
});
