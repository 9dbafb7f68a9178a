import { randomUUID } from 'node:crypto';
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { describe, expect, test } from '@jest/globals';
import { PaymentSessions, type PaymentSessionHandle, type PaymentSessionInput } from '../../../src';
import { park } from '../../support/park';
import { anotherPayment, completing, leftOpen, overTheLimit } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code,
  );

/** Starts a session that the service rejects, and returns its input. */
async function rejected(): Promise<PaymentSessionInput> {
  const input = world.input(overTheLimit());
  expect(await codeOf((await world.sessions.start(input)).result())).toBe('SERVICE_REQUEST_REJECTED');
  return input;
}

/** Starts a session, cancels it before its create request, and returns its input. */
async function cancelledFirst(): Promise<PaymentSessionInput> {
  await world.stopWorker();
  const input = world.input(leftOpen());
  const session = await world.sessions.start(input);
  await session.cancel();
  await world.startWorker();
  expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
  return input;
}

const corrected = (input: PaymentSessionInput): PaymentSessionInput => ({ ...input, request: leftOpen() });

async function runsOf(key: string): Promise<number> {
  const { count } = await world.client.workflow.count(`WorkflowId = "payment-session/${key}"`);
  return count;
}

describe('a key whose session never existed at the service can start again', () => {
  test('after a rejection, with a corrected request', async () => {
    const input = corrected(await rejected());
    const session = await world.sessions.start(input);
    expect(session.started).toEqual({ attached: false });
    await stateOf(session, ({ phase }) => phase === 'open');
    expect((await world.sessions.start(input)).started).toEqual({ attached: true });
    await session.cancelAndWait();
  });

  test('after a rejection, with `open`', async () => {
    const { session } = await world.sessions.open(corrected(await rejected()));
    expect(session.started).toEqual({ attached: false });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });

  test('after a rejection, with the same request, and the request is sent again', async () => {
    const input = await rejected();
    const before = creates();
    expect(await codeOf(world.sessions.open(input))).toBe('SERVICE_REQUEST_REJECTED');
    expect(creates()).toBe(before + 1);
  });

  test('after a cancel before the create request', async () => {
    const input = await cancelledFirst();
    for await (const begun of world.sessions.startMany([input]))
      expect(begun).toMatchObject({ attached: false });
    const session = world.sessions.get(input.key);
    await stateOf(session, ({ phase }) => phase === 'open');
    await session.cancelAndWait();
  });

  test('after the workflow refused its input', async () => {
    const { key, ...rest } = world.input(leftOpen());
    const { client, taskQueue } = world;
    const workflowId = `payment-session/${key}`;
    const refused = await client.workflow.start('paymentSession', { workflowId, taskQueue, args: [{ key }] });
    await expect(refused.result()).rejects.toThrow();
    const { session } = await world.sessions.open({ key, ...rest });
    await session.cancelAndWait();
  });
});

/** Returns sessions whose Temporal client counts its calls by kind, in `asked`. */
function counting() {
  const asked = { startUpdateWithStart: 0, startUpdate: 0, describe: 0, query: 0 };
  const counts = (kind: keyof typeof asked) => (input: never, next: (input: never) => Promise<never>) => {
    asked[kind] += 1;
    return next(input);
  };
  const kinds = Object.keys(asked) as (keyof typeof asked)[];
  const interceptor = Object.fromEntries(
    kinds.map((kind) => [kind, counts(kind)]),
  ) as WorkflowClientInterceptor;
  const { connection, options } = world.client;
  const interceptors = { workflow: [interceptor] };
  const client = new Client({ connection, namespace: options.namespace, interceptors });
  return { asked, sessions: new PaymentSessions(client, { taskQueue: world.taskQueue }) };
}

describe('`open` reports if its call has attached to an existing session', () => {
  test('with a single call to Temporal if the key is new', async () => {
    const { asked, sessions } = counting();
    const { session } = await sessions.open(world.input(leftOpen()));
    expect(session.started).toEqual({ attached: false });
    expect(asked).toEqual({ startUpdateWithStart: 1, startUpdate: 0, describe: 0, query: 0 });
    await session.cancelAndWait();
  });

  test('and reports `attached: false` to only one of three callers at the same time', async () => {
    const input = world.input(leftOpen());
    const together = await Promise.all([1, 2, 3].map(() => world.sessions.open(input)));
    const attached = together.map(({ session }) => session.started?.attached);
    expect(attached.toSorted()).toEqual([false, true, true]);
    const { session } = await world.sessions.open(input);
    expect(session.started).toEqual({ attached: true });
    await session.cancelAndWait();
    await session.result();
    const end = { outcome: 'ended', paid: false, status: 'Cancelled', code: 'EFT0501' };
    expect((await world.sessions.open(input)).session.started).toEqual({ attached: true, end });
  });
});

describe('a key stays with its session', () => {
  async function staysWith(input: PaymentSessionInput, end: object | undefined): Promise<void> {
    const before = creates();
    expect((await world.sessions.start(input)).started).toEqual({ attached: true, ...(end && { end }) });
    expect(await codeOf(world.sessions.start(anotherPayment(input)))).toBe('SESSION_CONFLICT');
    expect(creates()).toBe(before);
  }

  async function parkedInput(): Promise<{ input: PaymentSessionInput; session: PaymentSessionHandle }> {
    const { session } = await park(world);
    return { session, input: { ...world.input(leftOpen()), key: session.key } };
  }

  test('if the session was paid', async () => {
    const input = world.input(completing());
    await (await world.sessions.start(input)).result();
    await staysWith(input, { outcome: 'ended', paid: true, status: 'Completed', code: 'EFT0301' });
  });

  test('if the session was cancelled at the service', async () => {
    const input = world.input(leftOpen());
    await (await world.sessions.open(input)).session.cancelAndWait();
    await staysWith(input, { outcome: 'ended', paid: false, status: 'Cancelled', code: 'EFT0501' });
  });

  test('if the session is parked, and after an operator has abandoned it', async () => {
    const { input, session } = await parkedInput();
    await staysWith(input, undefined);
    await session.resolveCreate({ abandon: true });
    expect(await codeOf(session.result())).toBe('CREATE_ABANDONED');
    await staysWith(input, { outcome: 'failed', paid: false, failure: 'CREATE_ABANDONED' });
    expect(await codeOf(world.sessions.open(input))).toBe('CREATE_ABANDONED');
  });

  test('if the first create request was lost and the second was rejected', async () => {
    const input = world.input(overTheLimit(), { onUnknownCreate: 'retry' });
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const session = await world.sessions.start(input);
    expect(await codeOf(session.result())).toBe('SERVICE_REQUEST_REJECTED');
    await staysWith(input, { outcome: 'failed', paid: false, failure: 'SERVICE_REQUEST_REJECTED' });
  });

  test('if the create request was lost, and the session was then cancelled before the second request', async () => {
    const { input, session } = await parkedInput();
    world.sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '3' }, 1_000);
    await session.resolveCreate({ retry: true });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'possiblyCreated' });
    world.sandbox.clearFaults();
    await staysWith(input, { outcome: 'ended', paid: false, status: 'Cancelled' });
  });

  test('if the workflow was reset to its beginning, because the create request before the reset may have opened a session', async () => {
    const input = await rejected();
    const { workflowService, options } = world.client;
    const workflowId = `payment-session/${input.key}`;
    const reset = temporal.api.workflowservice.v1.ResetWorkflowExecutionRequest.fromObject({
      namespace: options.namespace,
      workflowExecution: { workflowId },
      workflowTaskFinishEventId: 4,
      requestId: randomUUID(),
    });
    await workflowService.resetWorkflowExecution(reset);
    const session = world.sessions.get(input.key);
    const ended = await stateOf(session, ({ phase }) => phase !== 'creating');
    if (ended.phase === 'parked') await session.resolveCreate({ abandon: true });
    const { started } = await world.sessions.start(input);
    expect(started).toMatchObject({ attached: true, end: { outcome: 'failed' } });
  });

  test('if the workflow was terminated', async () => {
    const input = world.input(leftOpen());
    const { session } = await world.sessions.open(input);
    await world.client.workflow.getHandle(session.workflowId).terminate();
    await staysWith(input, { outcome: 'terminated', paid: false });
  });
});

describe('if several callers start a rejected key again at the same time,', () => {
  test('with the same request, one call starts the session and the other calls attach', async () => {
    const input = corrected(await rejected());
    const sessions = await Promise.all(Array.from({ length: 8 }, () => world.sessions.start(input)));
    const attached = sessions.map(({ started }) => started?.attached);
    expect(attached.filter((value) => value === false)).toHaveLength(1);
    expect(attached.filter((value) => value === true)).toHaveLength(7);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await until(
      () => runsOf(input.key),
      (runs) => runs === 2,
    );
    await world.sessions.get(input.key).cancelAndWait();
  });

  test('with different requests, one call starts a session and the other fails with SESSION_CONFLICT', async () => {
    const input = corrected(await rejected());
    const inputs = [input, anotherPayment(input)];
    const codes = await Promise.all(inputs.map((one) => codeOf(world.sessions.start(one))));
    expect(codes.toSorted()).toEqual(['SESSION_CONFLICT', undefined]);
    await world.sessions.get(input.key).cancelAndWait();
  });

  /** Returns sessions whose client stops before its second start call, until the test calls `release`. */
  function halting() {
    let reached: () => void = () => undefined;
    let release: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    let starts = 0;
    const interceptor: WorkflowClientInterceptor = {
      startWithDetails: async (input, next) => {
        starts += 1;
        if (starts === 2) {
          reached();
          await isReleased;
        }
        return next(input);
      },
    };
    const { connection, options } = world.client;
    const client = new Client({
      connection,
      namespace: options.namespace,
      interceptors: { workflow: [interceptor] },
    });
    return { sessions: new PaymentSessions(client, { taskQueue: world.taskQueue }), isReached, release };
  }

  test.each([
    ['was paid', rejected, completing(), (session: PaymentSessionHandle) => session.result()],
    [
      'was paid (here, the key’s first session was cancelled)',
      cancelledFirst,
      completing(),
      (session: PaymentSessionHandle) => session.result(),
    ],
    [
      'was terminated',
      rejected,
      leftOpen(),
      async (session: PaymentSessionHandle) => {
        await session.opened();
        await world.client.workflow.getHandle(session.workflowId).terminate();
      },
    ],
  ])('a slow caller starts nothing once another caller’s session %s', async (_end, before, request, ends) => {
    const input = { ...(await before()), request };
    const late = halting();
    const starting = late.sessions.start(input);
    await late.isReached;
    const session = await world.sessions.start(input);
    expect(session.started).toEqual({ attached: false });
    await ends(session);
    const made = creates();
    late.release();
    expect((await starting).started).toMatchObject({
      attached: true,
      end: { outcome: expect.any(String) },
    });
    expect(creates()).toBe(made);
  });
});
