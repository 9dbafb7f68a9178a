import { describe, expect, test } from '@jest/globals';
import { eft, leftOpen } from '../../../support/requests';
import { stateOf, until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

describe('a create request that waits for its turn under a rate limit', () => {
  const slow = useWorld({ account: { callsPerSecond: 0.3 } });

  test('is never sent if the session is cancelled meanwhile', async () => {
    const neighbour = await slow.sessions.open(slow.input(leftOpen(), { fastestPoll: '1h' }));
    const waiting = await slow.sessions.start(slow.input(eft()));
    const { workflowId } = slow.client.workflow.getHandle(`payment-session/${waiting.key}`);
    await until(
      async () => (await slow.client.workflow.getHandle(workflowId).describe()).raw.pendingActivities ?? [],
      (pending) => pending.some(({ activityType }) => activityType?.name === 'createSession'),
    );
    await waiting.cancel();
    expect(await waiting.result()).toMatchObject({ status: 'Cancelled' });
    expect(slow.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
    await neighbour.session.cancelAndWait();
  });
});

describe('a create request that waits long for its turn under a rate limit', () => {
  const slow = useWorld({ account: { callsPerSecond: 0.04 } });

  test('is reported as trouble in the session’s state, with the end of the wait', async () => {
    const neighbour = await slow.sessions.open(slow.input(leftOpen(), { fastestPoll: '1h' }));
    const lastCallAt = slow.sandbox.calls.at(-1)?.at ?? '';
    const session = await slow.sessions.start(slow.input(eft()));
    const state = await stateOf(session, ({ trouble }) => trouble?.until !== undefined);
    expect(state).toMatchObject({ phase: 'creating', trouble: { code: 'SERVICE_PAUSED' } });
    expect(Date.parse(state.trouble?.until ?? '') - Date.parse(lastCallAt)).toBeGreaterThan(20_000);
    // The state reports this before the request is sent: the service has received only the other session’s create request.
    expect(slow.sandbox.calls.filter(({ route }) => route === 'create')).toHaveLength(1);
    await session.cancel();
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'neverCreated' } });
    await neighbour.session.cancelAndWait();
  });
});
