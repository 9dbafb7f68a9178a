import { describe, expect, test } from '@jest/globals';
import { WorkflowFailedError, type WorkflowExecutionDescription } from '@temporalio/client';
import { NexusOperationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { HandlerError } from 'nexus-rpc';
import { errorCodeOf } from '../../../src/nexus';
import { useCallerNamespace } from '../../support/worlds/nexus-world';
import { anotherPayment, completing, eft, leftOpen, overTheLimit } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const callers = useCallerNamespace(world);

const isOpen = ({ phase }: { readonly phase: string }) => phase === 'open';
const run = (input: unknown) => callers.start('runsSession', input);
/** True if the caller’s Nexus operation has started asynchronously: no handler of the worker waits for its result. */
async function isStarted(call: { describe(): Promise<WorkflowExecutionDescription> }): Promise<boolean> {
  const { raw } = await call.describe();
  const { PENDING_NEXUS_OPERATION_STATE_STARTED } = temporal.api.enums.v1.PendingNexusOperationState;
  return raw.pendingNexusOperations?.[0]?.state === PENDING_NEXUS_OPERATION_STATE_STARTED;
}

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

/** Returns the type of the handler error with which a call was refused, and the error code in it. */
async function refusalOf(call: { result(): Promise<unknown> }) {
  const error: unknown = await call.result().catch((caught: unknown) => caught);
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof NexusOperationFailure)) throw error;
  const { cause } = error.cause;
  return {
    type: cause instanceof HandlerError ? cause.type : undefined,
    code: errorCodeOf(error),
    message: cause?.message,
  };
}

describe('the Nexus operation run', () => {
  test('runs a session and returns its result', async () => {
    const input = world.input(completing());
    const call = await run(input);
    expect(await call.result()).toMatchObject({ key: input.key, status: 'Completed', code: 'EFT0301' });
    expect(await world.sessions.get(input.key).state()).toMatchObject({ phase: 'ended' });
  });

  test('cancels the session if the caller cancels the operation, and returns the session’s result', async () => {
    const input = world.input(leftOpen());
    const call = await run(input);
    await stateOf(world.sessions.get(input.key), isOpen);
    await call.cancel();
    expect(await call.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });

  test('returns the completed payment if the caller cancels the operation too late', async () => {
    const input = world.input(leftOpen());
    const call = await run(input);
    const { sessionId = '' } = await stateOf(world.sessions.get(input.key), isOpen);
    world.payor(sessionId).validatesBank();
    world.payor(sessionId).signsPad();
    await call.cancel();
    expect(await call.result()).toMatchObject({ status: 'Completed' });
  });

  test('attaches to a running session with the same request', async () => {
    const input = world.input(leftOpen());
    const session = await world.sessions.start(input);
    const calls = await Promise.all([run(input), run(input)]);
    for (const call of calls) await until(() => isStarted(call), Boolean);
    await session.cancel();
    for (const call of calls) expect(await call.result()).toMatchObject({ status: 'Cancelled' });
  });

  test('returns the result of an ended session at once', async () => {
    const input = world.input(completing());
    const { session } = await world.sessions.open(input);
    const end = await session.result();
    const before = creates();
    expect(await (await run(input)).result()).toEqual(end);
    expect(creates()).toBe(before);
  });

  test('refuses a key that belongs to another request', async () => {
    const input = world.input(leftOpen());
    const session = await world.sessions.start(input);
    const other = await run(anotherPayment(input));
    expect(await refusalOf(other)).toMatchObject({ type: 'BAD_REQUEST', code: 'SESSION_CONFLICT' });
    await session.cancelAndWait();
  });

  test('refuses an invalid input, with every failure listed', async () => {
    const call = await run({ key: '', request: { ...eft(), amount: 0, direction: 'CREDIT' } });
    const { type, code, message } = await refusalOf(call);
    expect({ type, code }).toEqual({ type: 'BAD_REQUEST', code: 'INVALID_REQUEST' });
    for (const path of ['key', 'request.amount', 'request.direction']) expect(message).toContain(path);
  });

  test.each([undefined, null, 'order-1', 7, []])('refuses %j', async (input) => {
    expect(await refusalOf(await run(input))).toMatchObject({ type: 'BAD_REQUEST', code: 'INVALID_REQUEST' });
  });

  test('refuses unknown and misspelt fields, and deep nesting', async () => {
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown;
    const misspelt = { request: { ...eft(), amont: 25 } };
    for (const changes of [
      { policy: { deadlne: '2h' } },
      { polcy: {} },
      misspelt,
      { request: { ...eft(), deep } },
    ]) {
      const call = await run({ ...world.input(leftOpen()), ...changes });
      expect(await refusalOf(call)).toMatchObject({ type: 'BAD_REQUEST', code: 'INVALID_REQUEST' });
    }
  });

  test('fails with the error code of a session that the service rejects, at the first call and at a later one', async () => {
    const input = world.input(overTheLimit());
    for (let call = 0; call < 2; call += 1) {
      expect(await refusalOf(await run(input))).toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    }
  });
});

describe('the Nexus operations cancel and state', () => {
  const cancel = async (input: unknown) => callers.start('cancelsSession', input);
  const read = async (input: unknown) => callers.start('readsSession', input);

  test('return the state, cancel, and return the outcome', async () => {
    const { key, ...input } = world.input(leftOpen());
    const session = await world.sessions.start({ key, ...input });
    const { sessionId } = await stateOf(session, isOpen);
    expect(await (await read({ key })).result()).toMatchObject({ phase: 'open', key, sessionId });
    const named = { by: 'avery', reason: 'the order was withdrawn' };
    const answer = await (await cancel({ key, ...named })).result();
    expect(answer).toMatchObject({
      outcome: 'cancelled',
      state: { status: 'Cancelled', code: 'EFT0501', decisions: [{ decision: 'cancel', ...named }] },
    });
    expect(await (await cancel({ key })).result()).toMatchObject({ outcome: 'alreadyEnded' });
    expect(await (await read({ key })).result()).toMatchObject({ phase: 'ended', status: 'Cancelled' });
  });

  test('accept every key that a session can have', async () => {
    const { key, ...input } = world.input(leftOpen());
    const emoji = `${key.slice(0, 40)}${'\u{1F341}'.repeat(160)}`;
    await world.client.workflow.start('paymentSession', {
      workflowId: `payment-session/${emoji}`,
      taskQueue: world.taskQueue,
      args: [{ key: emoji, ...input }],
    });
    await stateOf(world.sessions.get(emoji), isOpen);
    expect(await (await read({ key: emoji })).result()).toMatchObject({ phase: 'open' });
    expect(await (await cancel({ key: emoji })).result()).toMatchObject({ outcome: 'cancelled' });
  });

  test('answer a cancel without waiting for a slow payment service', async () => {
    const input = world.input(leftOpen());
    const session = await world.sessions.start(input);
    await stateOf(session, isOpen);
    const hold = world.sandbox.hold('cancel', 'before');
    const answer = await (await cancel({ key: input.key })).result();
    expect(answer).toMatchObject({ outcome: 'accepted', state: { phase: 'cancelling' } });
    hold.release();
    expect(await session.result()).toMatchObject({ status: 'Cancelled' });
  });

  test('refuse a cancel with a misspelt field, and suggest the correct name', async () => {
    const { key, ...input } = world.input(leftOpen());
    const session = await world.sessions.start({ key, ...input });
    expect(await refusalOf(await cancel({ key, raeson: 'the order was withdrawn' }))).toEqual({
      type: 'BAD_REQUEST',
      code: 'INVALID_INPUT',
      message: expect.stringContaining('raeson is not a field of the argument; did you mean reason?'),
    });
    expect((await session.state()).cancel).toBeUndefined();
  });

  test('refuse an unknown key and a malformed key', async () => {
    for (const call of [cancel, read]) {
      const unknown = await refusalOf(await call({ key: 'no-such-key' }));
      expect(unknown).toMatchObject({ type: 'NOT_FOUND', code: 'SESSION_NOT_FOUND' });
      for (const input of [undefined, null, {}, { key: 7 }, { key: '' }, 'order-1']) {
        const bad = await refusalOf(await call(input));
        expect(bad).toMatchObject({ type: 'BAD_REQUEST', code: 'INVALID_REQUEST' });
      }
    }
  });
});
