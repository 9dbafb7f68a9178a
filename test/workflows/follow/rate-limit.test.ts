import { describe, expect, test } from '@jest/globals';
import { eft, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

describe('a create that waits for its turn', () => {
  const slow = useWorld({ account: { callsPerSecond: 0.05 } });

  test('is never sent when it is cancelled meanwhile', async () => {
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
