import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createPaymentWorld } from '../../../testkit';
import teardown from '../../../testkit/global-teardown';
import setup, { isWatching, KeptServers } from '../../../testkit/kept-servers';
import { connectTestServer } from '../../../testkit/world/virtual-time';
import { borrowServer, KEPT_SERVERS } from '../../../testkit/lent-servers';
import { eft } from '../../support/requests';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';

let kept: KeptServers;
let told: string[];

beforeEach(async () => {
  told = [];
  kept = await KeptServers.start((line) => void told.push(line));
});

afterEach(() => kept.stop());

const makeWorld = () => createPaymentWorld({ bundlePath: testBundle() });

async function lent() {
  const server = await borrowServer();
  if (server === undefined) throw new Error('no server was lent');
  return server;
}

test('worlds use a server one after the other, and the later one finds nothing of what was', async () => {
  const leave = async () => {
    await using first = await makeWorld();
    const { session } = await first.sessions.open({ key: 'order-1', request: eft() });
    await first.sessions.open({ key: 'order-2', request: eft() });
    await session.cancelAndWait();
    await first.advance('40d');
    return await first.now();
  };
  let leftAt = await leave();
  let second = await makeWorld();
  // The server's time goes on where it was. A server that was slow to answer as the world closed is not used again.
  while ((await second.now()) < leftAt) {
    await second.close();
    leftAt = await leave();
    second = await makeWorld();
  }
  await using world = second;
  const { workflowService } = world.client.connection;
  const open = await workflowService.listOpenWorkflowExecutions({
    namespace: 'default',
    startTimeFilter: {},
  });
  expect(open.executions).toEqual([]);
  for (const key of ['order-1', 'order-2']) {
    const opened = await world.sessions.open({ key, request: { ...eft(), amount: 31 } });
    await world.payor(opened.sessionId).after('5m').completes();
    expect(await opened.session.result()).toMatchObject({ paid: true, amount: 31 });
  }
  expect(world.service.audit({ route: 'create' })).toHaveLength(2);
});

test('a world whose workflow’s task fails each time leaves no server in which time stops', async () => {
  const workflowBundle = await bundled(require.resolve('../../support/broken-workflows'));
  for (const workflowId of ['order-1', 'order-2']) {
    await using world = await createPaymentWorld({ bundlePath: testBundle(), workflowBundle });
    const { taskQueue, client } = world;
    await client.workflow.start('hasTypeError', { workflowId, taskQueue });
    await expect(world.advance('2h')).rejects.toMatchObject({ code: 'TESTED_CODE_FAILED' });
  }
});

test('worlds side by side have a server each, and each is kept', async () => {
  const one = await lent();
  const other = await lent();
  expect(one.address).not.toBe(other.address);
  await one.giveBack(true);
  expect(await lent()).toMatchObject({ address: one.address, isUsed: true });
  await other.giveBack(true);
  expect(await lent()).toMatchObject({ address: other.address });
});

test('a world that was killed, or could not tidy up, costs its server', async () => {
  const one = await lent();
  await one.giveBack(false);
  const other = await lent();
  expect(other.address).not.toBe(one.address);
  expect(other.isUsed).toBe(false);
});

test('a world whose time has stopped costs its server', async () => {
  await (await makeWorld()).close();
  const before = await lent();
  await before.giveBack(true);
  await using world = await makeWorld();
  const connection = await connectTestServer(before.address);
  await connection.testService?.lockTimeSkipping({});
  await world.close();
  await connection.close();
  expect((await lent()).address).not.toBe(before.address);
});

test('a server that has ended is not lent', async () => {
  const one = await lent();
  await one.giveBack(true);
  await kept.stop();
  kept = await KeptServers.start((line) => void told.push(line));
  expect((await lent()).address).not.toBe(one.address);
});

test('a world starts a server of its own where none is lent', async () => {
  await kept.stop();
  process.env[KEPT_SERVERS] = '/nowhere';
  await using world = await makeWorld();
  expect(world.client.options.namespace).toBe('default');
  await world.close();
});

describe('a test runner', () => {
  beforeEach(() => kept.stop());

  test('that watches keeps its server between runs, and says so', async () => {
    const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await setup({ watchAll: true });
    const one = await lent();
    await one.giveBack(true);
    await teardown({ watchAll: true });
    const endServers = await setup({ watchAll: true });
    expect(await lent()).toMatchObject({ address: one.address });
    expect(told.mock.calls.flat().join('')).toMatch(/^Temporal’s test server is kept between runs[^\n]*\n$/);
    told.mockRestore();
    await endServers();
    expect(await borrowServer()).toBeUndefined();
  });

  test('that runs once ends its server', async () => {
    await setup({ watch: false, watchAll: false });
    await (await lent()).giveBack(true);
    await teardown({ watch: false, watchAll: false });
    expect(await borrowServer()).toBeUndefined();
  });

  test('that is vitest in its watch mode is known by its configuration', () => {
    expect(isWatching({ config: { watch: true } })).toBe(true);
    expect(isWatching({ config: { watch: false } })).toBe(false);
  });
});
