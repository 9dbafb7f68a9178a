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

  test('starts a session for which a page already waits', async () => {
    const input = world.input(leftOpen());
    const session = world.sessions.get(input.key);
    const opened = session.opened({ waitForStart: '30s' });
    const state = session.state({ waitForStart: '30s' });
    // This call comes later. Once it is answered, both calls above have found no session.
    await expect(session.state()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    const order = await start('takesPayment', input);
    const { sessionId, checkoutUrl } = await opened;
    expect(checkoutUrl).toContain(sessionId);
    expect(await state).toMatchObject({ key: input.key });
    world.payor(sessionId).completes();
    await order.result();
  });

  test('shows the amount of its session in lists', async () => {
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

  test('gets INVALID_INPUT for a key that no page’s address can contain', async () => {
    const order = await start('takesPayment', { ...world.input(completing()), key: '.' });
    expect(await failureType(order.result())).toBe('INVALID_INPUT');
  });

  test('gets an error before it starts or cancels a session whose key is too long for a workflow id', async () => {
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

  test('that is cancelled does not cancel a session that it only started', async () => {
    const input = world.input(leftOpen());
    const order = await start('watchesPayment', input);
    const session = world.sessions.get(input.key);
    const { sessionId = '' } = await stateOf(session, ({ phase }) => phase === 'open');
    await order.cancel();
    await expect(order.result()).rejects.toThrow(WorkflowFailedError);
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0301' });
  });

  test('that is cancelled cancels the session that it runs and gets its true end', async () => {
    const input = world.input(leftOpen());
    const order = await start('takesPayment', input);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await order.cancel();
    expect(await order.result()).toMatchObject({ status: 'Cancelled', cancel: { outcome: 'cancelled' } });
  });

  test('that is terminated cancels the session that it runs', async () => {
    const input = world.input(leftOpen());
    const order = await start('takesPayment', input);
    await stateOf(world.sessions.get(input.key), ({ phase }) => phase === 'open');
    await order.terminate();
    expect(await world.sessions.get(input.key).result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
    });
  });

  test('starts a session, reads its state, and ends while the session goes on', async () => {
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

  test('receives an error if the key is taken, or if no session has it', async () => {
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
