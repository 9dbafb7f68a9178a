import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createPaymentWorld } from '../../../testkit';
import teardown from '../../../testkit/global-teardown';
import setup, { isWatching, KeptServers } from '../../../testkit/kept-servers';
import { connectTestServer } from '../../../testkit/world/virtual-time';
import { borrowServer, KEPT_SERVERS } from '../../../testkit/lent-servers';
import { eft } from '../../support/requests';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';

// A payment world needs Temporal’s test server, which starts slowly. A test runner keeps servers, and lends them to one world
// after the other.

let kept: KeptServers;
let lines: string[];

beforeEach(async () => {
  lines = [];
  kept = await KeptServers.start((line) => void lines.push(line));
});

afterEach(() => kept.stop());

const makeWorld = () => createPaymentWorld({ bundlePath: testBundle() });

async function lent() {
  const server = await borrowServer();
  if (server === undefined) throw new Error('no server was lent');
  return server;
}

test('two payment worlds use the same test server one after the other, and the second finds no workflows of the first', async () => {
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
  // The server’s time goes on from where it was. If the server answered slowly at the close, the second world gets another one,
  // and the test tries again.
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

test('a payment world whose workflow task always fails does not pass on a test server with stopped time', async () => {
  const workflowBundle = await bundled(require.resolve('../../support/broken-workflows'));
  for (const workflowId of ['order-1', 'order-2']) {
    await using world = await createPaymentWorld({ bundlePath: testBundle(), workflowBundle });
    const { taskQueue, client } = world;
    await client.workflow.start('hasTypeError', { workflowId, taskQueue });
    await expect(world.advance('2h')).rejects.toMatchObject({ code: 'TESTED_CODE_FAILED' });
  }
});

test('payment worlds at the same time use one test server each, and all servers are kept', async () => {
  const one = await lent();
  const other = await lent();
  expect(one.address).not.toBe(other.address);
  await one.giveBack(true);
  expect(await lent()).toMatchObject({ address: one.address, isUsed: true });
  await other.giveBack(true);
  expect(await lent()).toMatchObject({ address: other.address });
});

test('the test server of a payment world that was killed or could not clean up is not lent again', async () => {
  const one = await lent();
  await one.giveBack(false);
  const other = await lent();
  expect(other.address).not.toBe(one.address);
  expect(other.isUsed).toBe(false);
});

test('the test server of a payment world with stopped time is not lent again', async () => {
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

test('a test server whose process has exited is not lent', async () => {
  const one = await lent();
  await one.giveBack(true);
  await kept.stop();
  kept = await KeptServers.start((line) => void lines.push(line));
  expect((await lent()).address).not.toBe(one.address);
});

test('a payment world starts its own test server if it is lent none', async () => {
  await kept.stop();
  process.env[KEPT_SERVERS] = '/nowhere';
  await using world = await makeWorld();
  expect(world.client.options.namespace).toBe('default');
  await world.close();
});

describe('a test runner', () => {
  beforeEach(() => kept.stop());

  test('that watches files keeps its test server between runs, and prints that', async () => {
    const lines = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await setup({ watchAll: true });
    const one = await lent();
    await one.giveBack(true);
    await teardown({ watchAll: true });
    const endServers = await setup({ watchAll: true });
    expect(await lent()).toMatchObject({ address: one.address });
    expect(lines.mock.calls.flat().join('')).toMatch(/^Temporal’s test server is kept between runs[^\n]*\n$/);
    lines.mockRestore();
    await endServers();
    expect(await borrowServer()).toBeUndefined();
  });

  test('that runs once stops its test server', async () => {
    await setup({ watch: false, watchAll: false });
    await (await lent()).giveBack(true);
    await teardown({ watch: false, watchAll: false });
    expect(await borrowServer()).toBeUndefined();
  });

  test('is recognised as a watching vitest by its configuration', () => {
    expect(isWatching({ config: { watch: true } })).toBe(true);
    expect(isWatching({ config: { watch: false } })).toBe(false);
  });
});
