import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { PaymentSessions, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE, type SessionFilter } from '../../src';
import { eft, eTransfer, geft } from '../support/requests';
import { stateOf, until } from '../support/wait';
import { createWorld, type World } from '../support/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => {
  await world.close();
});

describe('opening', () => {
  test('an invalid request lists every failure and starts nothing', async () => {
    const input = world.input({ ...eft(), amount: 0, direction: 'CREDIT' });
    await expect(world.sessions.open(input)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      failures: [{ path: 'request.amount' }, { path: 'request.direction' }],
    });
    await expect(world.sessions.get(input.key).state()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('without a worker says that the session goes on, and it does once there is one', async () => {
    const taskQueue = `unattended-${randomUUID()}`;
    const impatient = new PaymentSessions(world.client, {
      taskQueue,
      openTimeoutMs: 500,
      queryTimeoutMs: 500,
    });
    const input = world.input(eft('sandbox-completes'));
    await expect(impatient.open(input)).rejects.toMatchObject({ code: 'SESSION_STILL_OPENING' });
    await expect(impatient.get(input.key).state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await world.client.workflow.getHandle(impatient.get(input.key).workflowId).terminate();
    await expect(impatient.get(input.key).result()).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
  });

  test('while the service is not there shows the trouble, and a cancel then creates nothing', async () => {
    const lost = await createWorld({ account: { baseUrl: 'http://127.0.0.1:1' } });
    try {
      const session = await lost.sessions.start(lost.input(eft()));
      const { phase } = await stateOf(session, ({ trouble }) => trouble?.code === 'SERVICE_UNREACHABLE');
      expect(phase).toBe('creating');
      expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
    } finally {
      await lost.close();
    }
  });
});

describe('when no worker runs', () => {
  test('a cancel is held and says so, a refresh and a resolution say that no worker answers', async () => {
    const impatient = new PaymentSessions(world.client, { taskQueue: world.taskQueue, updateTimeoutMs: 500 });
    const { key } = (await world.sessions.open(world.input(eft('sandbox-stays-initiated')))).session;
    await world.stopWorker();
    const session = impatient.get(key);
    await expect(session.refresh()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(session.resolveCreate({ retry: true })).rejects.toMatchObject({
      code: 'WORKER_UNAVAILABLE',
    });
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    const signals = events?.filter((event) => event.workflowExecutionSignaledEventAttributes != null);
    expect(signals).toHaveLength(1);
    await world.startWorker();
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });
});

describe('when nobody polls the task queue', () => {
  const SOON_MS = 2_000;

  /** A started session that no worker ever took. */
  async function unattended() {
    const taskQueue = `unattended-${randomUUID()}`;
    const elsewhere = new PaymentSessions(world.client, { taskQueue });
    const session = await elsewhere.start(world.input(eft('sandbox-stays-initiated')));
    // Whoever asks need not know the session's task queue.
    return { taskQueue, session: world.sessions.get(session.key) };
  }

  test.each([
    ['state', 'WORKER_UNAVAILABLE'],
    ['stateHistory', 'WORKER_UNAVAILABLE'],
    ['opened', 'WORKER_UNAVAILABLE'],
    ['refresh', 'WORKER_UNAVAILABLE'],
    ['cancelAndWait', 'CANCEL_PENDING'],
  ] as const)('%s says so within two seconds, and where a worker is wanted', async (method, code) => {
    const { taskQueue, session } = await unattended();
    const askedAtMs = Date.now();
    const failure = expect.stringContaining(`"${taskQueue}" of the namespace "default"`) as unknown;
    await expect(session[method]()).rejects.toMatchObject({ code, message: failure });
    expect(Date.now() - askedAtMs).toBeLessThan(SOON_MS);
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('open says so of the session that it started', async () => {
    const sessions = new PaymentSessions(world.client, { taskQueue: `unattended-${randomUUID()}` });
    const input = world.input(eft());
    const askedAtMs = Date.now();
    await expect(sessions.open(input)).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    expect(Date.now() - askedAtMs).toBeLessThan(SOON_MS);
    await world.client.workflow.getHandle(sessions.get(input.key).workflowId).terminate();
  });

  test('a cancel is held by the engine all the same', async () => {
    const { session } = await unattended();
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes != null)).toHaveLength(1);
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('a call that was given up is ended: it would be repeated on a closed connection', async () => {
    const { session } = await unattended();
    const client = new Client({ connection: world.client.connection });
    const ended: string[] = [];
    const given = client.workflow.getHandle.bind(client.workflow);
    client.workflow.getHandle = ((workflowId: string) => {
      const handle = given(workflowId);
      const query = handle.query.bind(handle);
      handle.query = ((name: string) =>
        query(name).finally(() => {
          ended.push(name);
        })) as typeof handle.query;
      return handle;
    }) as typeof client.workflow.getHandle;
    const sessions = new PaymentSessions(client, { queryTimeoutMs: 60_000 });
    await expect(sessions.get(session.key).state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await until(
      () => Promise.resolve(ended),
      (names) => names.includes('state'),
    );
    await world.client.workflow.getHandle(session.workflowId).terminate();
  });

  test('a worker that is there, and slow, is waited for', async () => {
    const hold = world.sandbox.hold('create', 'before');
    const opening = world.sessions.open(world.input(eft('sandbox-stays-initiated')));
    await expect(Promise.race([opening, sleep(SOON_MS, 'waits')])).resolves.toBe('waits');
    hold.release();
    await (await opening).session.cancelAndWait();
  });
});

describe('on a connection that does not keep deadlines', () => {
  test('no call takes longer than it is given', async () => {
    const client = new Client({ connection: world.client.connection });
    client.withDeadline = (_deadline, call) => call();
    const timeouts = { openTimeoutMs: 300, queryTimeoutMs: 300, updateTimeoutMs: 300 };
    const sessions = new PaymentSessions(client, { taskQueue: world.taskQueue, ...timeouts });
    const { session } = await world.sessions.open(world.input(eft('sandbox-stays-initiated')));
    await world.stopWorker();
    const impatient = sessions.get(session.key);
    await expect(impatient.state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.refresh()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.opened()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await expect(impatient.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    await world.startWorker();
    expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });
});

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

describe('a namespace that does not exist', () => {
  test.each([
    ['start', (sessions: PaymentSessions) => sessions.start(world.input(eft()))],
    ['open', (sessions: PaymentSessions) => sessions.open(world.input(eft()))],
    ['state', (sessions: PaymentSessions) => sessions.get('any').state()],
    ['cancelAndWait', (sessions: PaymentSessions) => sessions.get('any').cancelAndWait()],
    ['list', (sessions: PaymentSessions) => firstOf(sessions.list())],
  ])('is refused with a code: %s', async (_name, call) => {
    const client = new Client({ connection: world.client.connection, namespace: 'no-such-namespace' });
    const sessions = new PaymentSessions(client, { openTimeoutMs: 2_000, updateTimeoutMs: 2_000 });
    await expect(call(sessions)).rejects.toMatchObject({ code: 'ENGINE_REFUSED' });
  });
});

describe('a session that another SDK started', () => {
  test('is attached to by the same request, and a conflict for another', async () => {
    const input = world.input(eft('sandbox-stays-initiated'));
    await world.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: `${WORKFLOW_ID_PREFIX}${input.key}`,
      taskQueue: world.taskQueue,
      args: [input],
    });
    const { session } = await world.sessions.open(input);
    const other = { ...input, request: { ...input.request, amount: 26 } };
    await expect(world.sessions.start(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await session.cancelAndWait();
    expect((await world.sessions.start(input)).key).toBe(input.key);
  });
});

describe('listing', () => {
  const reference = `list-${randomUUID().slice(0, 8)}`;

  const found = async (filter: SessionFilter) => {
    const keys: string[] = [];
    for await (const { key } of world.sessions.list({ referenceId: reference, ...filter })) keys.push(key);
    return keys;
  };

  test('finds sessions by status, code, kind, reference, running and time', async () => {
    const inputs = [eft, geft, eTransfer].map((request) => world.input(request(reference)));
    const opened = await Promise.all(inputs.map((input) => world.sessions.open(input)));
    await opened[0]?.session.cancelAndWait();
    const [regular = '', guaranteed = '', transfer = ''] = inputs.map(({ key }) => key);
    const indexed = (filter: SessionFilter, keys: string[]) =>
      until(
        () => found(filter),
        (listed) => listed.length === keys.length,
      ).then((listed) => {
        expect(listed.sort()).toEqual(keys.sort());
      });
    await indexed({}, [regular, guaranteed, transfer]);
    await indexed({ status: 'Cancelled' }, [regular]);
    await indexed({ code: 'EFT0101' }, [guaranteed]);
    await indexed({ kind: 'e-Transfer' }, [transfer]);
    await indexed({ running: true }, [guaranteed, transfer]);
    await indexed({ startedBefore: new Date(Date.now() - 3_600_000) }, []);
    await indexed({ startedAfter: new Date(Date.now() - 3_600_000), running: false }, [regular]);
    await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
  });

  test('is newest first, whether sessions run or have ended', async () => {
    const referenceId = `order-${randomUUID().slice(0, 8)}`;
    const opened = [];
    for (let count = 0; count < 4; count += 1)
      opened.push(await world.sessions.open(world.input(eft(referenceId))));
    const [first, second, third, fourth] = opened.map(({ session }) => session);
    await third?.cancelAndWait();
    await first?.cancelAndWait();
    const keys = await until(
      () => found({ referenceId }),
      (listed) => listed.length === 4,
    );
    expect(keys).toEqual([fourth, third, second, first].map((session) => session?.key));
    await Promise.all([second?.cancelAndWait(), fourth?.cancelAndWait()]);
  });

  test('tells how a session closed', async () => {
    const referenceId = `closed-${randomUUID().slice(0, 8)}`;
    const failing = await world.sessions.start(world.input({ ...eft(referenceId), amount: 10_000.01 }));
    await expect(failing.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    const cancelled = await world.sessions.open(world.input(eft(referenceId)));
    const terminated = await world.sessions.open(world.input(eft(referenceId)));
    const running = await world.sessions.open(world.input(eft(referenceId)));
    await cancelled.session.cancelAndWait();
    await world.client.workflow.getHandle(terminated.session.workflowId).terminate();
    const look = async () => {
      const outcomes: (string | undefined)[] = [];
      for await (const { outcome } of world.sessions.list({ referenceId })) outcomes.push(outcome);
      return outcomes;
    };
    const expected = [undefined, 'terminated', 'ended', 'failed'];
    await until(look, (outcomes) => JSON.stringify(outcomes) === JSON.stringify(expected));
    await running.session.cancelAndWait();
  });

  test('takes a reference with a quote in it', async () => {
    const quoted = `O'Brien ${randomUUID().slice(0, 8)}`;
    const input = world.input(eTransfer(quoted));
    const { session } = await world.sessions.open(input);
    await until(
      () => found({ referenceId: quoted }),
      (keys) => keys.length === 1,
    );
    await session.cancelAndWait();
  });

  test('leaves out references where the policy says so', async () => {
    const hidden = `hidden-${randomUUID().slice(0, 8)}`;
    const { session } = await world.sessions.open(world.input(eft(hidden), { indexReference: false }));
    const { typedSearchAttributes } = await world.client.workflow.getHandle(session.workflowId).describe();
    expect(JSON.stringify(typedSearchAttributes)).not.toContain(hidden);
    await session.cancelAndWait();
  });
});
