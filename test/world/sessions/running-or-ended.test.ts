import { WorkflowNotFoundError, type WorkflowClientInterceptor } from '@temporalio/client';
import { describe, expect, test } from '@jest/globals';
import { openThrough } from '../../support/open-through';
import { useWorld } from '../../support/worlds/use-world';
import { runningOrEnded } from '../../../src/sessions/calls/session-calls';

const world = useWorld();

/** Returns an interceptor that answers the first `messages` messages of each kind with “not found”. */
function forgettingFirst(messages: number): WorkflowClientInterceptor {
  const said = { signal: 0, startUpdate: 0 };
  const forgets = (kind: keyof typeof said) => {
    said[kind] += 1;
    if (said[kind] <= messages)
      throw new WorkflowNotFoundError('workflow execution already completed', 'x', '');
  };
  return {
    signal: (input, next) => {
      forgets('signal');
      return next(input);
    },
    startUpdate: (input, next) => {
      forgets('startUpdate');
      return next(input);
    },
  };
}

describe('a running session that the Temporal server reports as not found', () => {
  test('receives the message in a second try', async () => {
    const session = await openThrough(world, forgettingFirst(2));
    expect(await session.refresh()).toMatchObject({ phase: 'open', status: 'Initiated' });
    await session.cancel();
    expect(await session.result()).toMatchObject({ status: 'Cancelled' });
  });

  test('is not reported as unknown, even if every try is answered “not found”', async () => {
    const session = await openThrough(world, forgettingFirst(Infinity));
    await expect(session.refresh()).rejects.toMatchObject({
      code: 'TEMPORAL_REFUSED',
      message: expect.stringContaining('workflow execution already completed'),
    });
  });
});

test('a message to an unknown session fails at once', async () => {
  let calls = 0;
  const unknown = (): Promise<never> => {
    calls += 1;
    throw new WorkflowNotFoundError('no such workflow', 'x', '');
  };
  await expect(runningOrEnded(unknown, unknown, () => undefined)).rejects.toThrow('no such workflow');
  expect(calls).toBe(2);
});
