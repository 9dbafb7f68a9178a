import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../../src';
import * as workflows from '../../support/business-workflows';
import { completing, leftOpen, overTheLimit } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useBusinessWorker } from '../../support/worlds/business-worker';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

const { taskQueue: ORDERS, start } = useBusinessWorker(world);

// A business workflow is a user’s own workflow. It runs a payment session as a child workflow.

/** Returns the error code with which a business workflow failed. */
async function failureType(result: Promise<unknown>): Promise<unknown> {
  const error: unknown = await result.catch((caught: unknown) => caught);
  let cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  while (cause?.cause !== undefined && cause.cause instanceof Error) cause = cause.cause;
  return (cause as { type?: unknown } | undefined)?.type;
}

describe('a business workflow', () => {
  test('runs a payment session and gets its result', async () => {
    const order = await start('takesPayment', world.input(completing()));
    expect(await order.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
  });

  test('starts a session for which `opened` and `state` calls of a page already wait', async () => {
    const input = world.input(leftOpen());
    const session = world.sessions.get(input.key);
    const opened = session.opened({ waitForStart: '30s' });
    const state = session.state({ waitForStart: '30s' });
    // Once this later call is answered, both calls above have also found that no session exists yet.
    await expect(session.state()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const order = await start('takesPayment', input);
    const { sessionId, checkoutUrl } = await opened;
    expect(checkoutUrl).toContain(sessionId);
    expect(await state).toMatchObject({ key: input.key });
    world.payor(sessionId).completes();
    await order.result();
  });

  test('starts a session that is listed with its amount', async () => {
    const input = world.input(completing());
    await (await start('takesPayment', input)).result();
    const amountIn = async () => {
      for await (const { key, amount } of world.sessions.list({ account: 'default', phase: 'ended' }))
        if (key === input.key) return amount;
      return undefined;
    };
    expect(await until(amountIn, (amount) => amount !== undefined)).toBe(25);
  });

  test('gets the error code of a session that the service rejects', async () => {
    const order = await start('takesPayment', world.input(overTheLimit()));
    expect(await failureType(order.result())).toBe('SERVICE_REQUEST_REJECTED');
  });

  test('gets INVALID_INPUT for a misspelt field of the request', async () => {
    const input = world.input(completing());
    const request = { ...input.request, amont: 25 };
    const order = await start('takesPayment', { ...input, request });
    expect(await failureType(order.result())).toBe('INVALID_INPUT');
  });

  test('gets INVALID_INPUT for a key that cannot be part of a URL', async () => {
    const order = await start('takesPayment', { ...world.input(completing()), key: '.' });
    expect(await failureType(order.result())).toBe('INVALID_INPUT');
  });

  test('gets an error for a key that is too long for a workflow id, before it starts or cancels a session', async () => {
    const key = '€'.repeat(400);
    const input = { ...world.input(completing()), key };
    const taking = await Promise.all([start('takesPayment', input), start('startsPayment', input)]);
    const cancelling = world.client.workflow.execute(workflows.cancelsPayment, {
      taskQueue: ORDERS,
      workflowId: randomUUID(),
      args: [key],
    });
    const results = [...taking.map((order) => order.result()), cancelling];
    expect(await Promise.all(results.map(failureType))).toEqual(results.map(() => 'INVALID_INPUT'));
  });

  test('that is cancelled does not cancel a session that it started without waiting for it', async () => {
    const input = world.input(leftOpen());
    const order = await start('watchesPayment', input);
    const session = world.sessions.get(input.key);
    const { sessionId = '' } = await stateOf(session, ({ phase }) => phase === 'open');
    await order.cancel();
    await expect(order.result()).rejects.toThrow(WorkflowFailedError);
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
  });

  test('that is cancelled cancels the session for which it waits, and gets the session’s result', async () => {
    const input = world.input(leftOpen());
    const order = await start('takesPayment', input);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await order.cancel();
    expect(await order.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });

  test('that is terminated cancels the session for which it waits', async () => {
    const input = world.input(leftOpen());
    const order = await start('takesPayment', input);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await order.terminate();
    expect(await world.sessions.get(input.key).result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
    });
  });

  test('can start a session, read its state, and end while the session goes on', async () => {
    const input = world.input(leftOpen());
    const order = await start('startsPayment', input);
    expect(await order.result()).toMatchObject({ key: input.key, kind: 'EFT' });
    const session = world.sessions.get(input.key);
    expect(await stateOf(session, ({ phase }) => phase === 'open')).not.toHaveProperty('cancel');
    await world.client.workflow.execute(workflows.cancelsPayment, {
      taskQueue: ORDERS,
      workflowId: randomUUID(),
      args: [input.key],
    });
    expect(await session.result()).toMatchObject({
      status: 'Cancelled',
      cancel: { by: 'caller' },
      decisions: [{ decision: 'cancel', by: 'avery', reason: 'out of stock', result: 'cancelled' }],
    });
  });

  test('starts a session with its search attributes', async () => {
    const input = world.input(completing());
    await (await start('takesPayment', input)).result();
    const { events } = await world.client.workflow.getHandle(`payment-session/${input.key}`).fetchHistory();
    const { searchAttributes } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    expect(Object.keys(searchAttributes?.indexedFields ?? {}).sort()).toEqual([
      SEARCH_ATTRIBUTES.account,
      SEARCH_ATTRIBUTES.kind,
      SEARCH_ATTRIBUTES.phase,
      SEARCH_ATTRIBUTES.reference,
    ]);
  });

  test('gets an error if it starts a session with a taken key, or reads or cancels with an unknown key', async () => {
    const input = world.input(leftOpen());
    const session = await world.sessions.start(input);
    const taken = await start('takesPayment', input);
    expect(await failureType(taken.result())).toBe('SESSION_CONFLICT');
    await session.cancelAndWait();
    const unknown = world.client.workflow.execute(workflows.cancelsPayment, {
      taskQueue: ORDERS,
      workflowId: randomUUID(),
      args: ['no-such-key'],
    });
    expect(await failureType(unknown)).toBe('SESSION_NOT_FOUND');
  });
});
