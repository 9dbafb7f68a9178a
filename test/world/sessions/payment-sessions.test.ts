import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { PaymentSessions, type SessionFilter, type SessionRequest } from '../../../src';
import {
  anotherPayment,
  completing,
  eft,
  eTransfer,
  geft,
  leftOpen,
  overTheLimit,
} from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../../src/protocol/names';

const world = useWorld();

describe('opening a session', () => {
  test('with an invalid request starts nothing, and the error lists every mistake', async () => {
    const input = world.input({ ...eft(), amount: 0, direction: 'CREDIT' } as object as SessionRequest);
    await expect(world.sessions.open(input)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      failures: [{ path: 'request.amount' }, { path: 'request.direction' }],
    });
    await expect(world.sessions.get(input.key).state()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('fails with SESSION_STILL_OPENING if no worker runs', async () => {
    const taskQueue = `no-worker-${randomUUID()}`;
    const impatient = new PaymentSessions(world.client, {
      taskQueue,
      openTimeoutMs: 500,
      queryTimeoutMs: 500,
    });
    const input = world.input(completing());
    await expect(impatient.open(input)).rejects.toMatchObject({ code: 'SESSION_STILL_OPENING' });
    await expect(impatient.get(input.key).state()).rejects.toMatchObject({ code: 'WORKER_UNAVAILABLE' });
    await world.client.workflow.getHandle(impatient.get(input.key).workflowId).terminate();
    await expect(impatient.get(input.key).result()).rejects.toMatchObject({ code: 'SESSION_TERMINATED' });
  });

  test('times out with the reason if the service keeps failing', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 500 }, 1_000);
    const input = world.input(eft());
    await stateOf(await world.sessions.start(input), ({ trouble }) => trouble?.code === 'SERVICE_FAILED');
    try {
      await expect(world.sessions.open(input, { timeoutMs: 5_000 })).rejects.toMatchObject({
        code: 'SESSION_STILL_OPENING',
        message: expect.stringMatching(
          /: the service answered 500 \(SERVICE_FAILED\), \d+ create requests?\./,
        ),
      });
    } finally {
      world.sandbox.clearFaults();
    }
    await world.sessions.get(input.key).cancelAndWait();
  });

  test('fails with the service’s rejection, without the payor’s name', async () => {
    const body = JSON.stringify({ status: 400, detail: 'Tremblay has no account here' });
    const contentType = 'application/problem+json';
    world.sandbox.failNext('create', { kind: 'status', status: 400, body, contentType });
    const opening = world.sessions.open(world.input(eft()));
    await expect(opening).rejects.toMatchObject({
      code: 'SERVICE_REQUEST_REJECTED',
      message: expect.stringContaining('The payment service says: “… has no account here”'),
    });
  });

  describe('while the service cannot be reached', () => {
    const lost = useWorld({ account: { baseUrl: 'http://127.0.0.1:1' } });

    test('has the trouble in its state, and a cancel prevents the create request', async () => {
      const session = await lost.sessions.start(lost.input(eft()));
      const { phase } = await stateOf(session, ({ trouble }) => trouble?.code === 'SERVICE_UNREACHABLE');
      expect(phase).toBe('creating');
      expect(await session.cancelAndWait()).toMatchObject({ outcome: 'neverCreated' });
    });
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
    ['workersEncrypt', (sessions: PaymentSessions) => sessions.workersEncrypt()],
  ])('is reported as TEMPORAL_REFUSED by %s', async (_name, call) => {
    const client = new Client({ connection: world.client.connection, namespace: 'no-such-namespace' });
    const sessions = new PaymentSessions(client);
    await expect(call(sessions)).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED' });
  });
});

describe('a session that another SDK started', () => {
  test('is attached to by the same request, and conflicts with another request', async () => {
    const input = world.input(leftOpen());
    await world.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: `${WORKFLOW_ID_PREFIX}${input.key}`,
      taskQueue: world.taskQueue,
      args: [input],
    });
    const { session } = await world.sessions.open(input);
    const other = anotherPayment(input);
    await expect(world.sessions.start(other)).rejects.toMatchObject({
      code: 'SESSION_CONFLICT',
      differences: ['request.amount'],
    });
    await session.cancelAndWait();
    expect((await world.sessions.start(input)).key).toBe(input.key);
  });
});

describe('the list of sessions', () => {
  const reference = `list-${randomUUID().slice(0, 8)}`;

  const found = async (filter: SessionFilter) => {
    const keys: string[] = [];
    for await (const { key } of world.sessions.list({ referenceId: reference, ...filter })) keys.push(key);
    return keys;
  };

  test('finds sessions by status, code, kind, reference, start time and by whether they run', async () => {
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

  test('has the newest session first, in lists of running, ended and all sessions', async () => {
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

  test('reports how a session closed', async () => {
    const referenceId = `closed-${randomUUID().slice(0, 8)}`;
    const failing = await world.sessions.start(world.input(overTheLimit(referenceId)));
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

  test('finds a reference that contains a quote', async () => {
    const quoted = `O'Brien ${randomUUID().slice(0, 8)}`;
    const input = world.input(eTransfer(quoted));
    const { session } = await world.sessions.open(input);
    await until(
      () => found({ referenceId: quoted }),
      (keys) => keys.length === 1,
    );
    await session.cancelAndWait();
  });

  test('has no reference if the policy keeps references out of the index', async () => {
    const hidden = `hidden-${randomUUID().slice(0, 8)}`;
    const { session } = await world.sessions.open(world.input(eft(hidden), { indexReference: false }));
    const { typedSearchAttributes } = await world.client.workflow.getHandle(session.workflowId).describe();
    expect(JSON.stringify(typedSearchAttributes)).not.toContain(hidden);
    await session.cancelAndWait();
  });
});
