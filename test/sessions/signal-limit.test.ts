import { expect, test } from '@jest/globals';
import { leftOpen } from '../support/requests';
import { useEngine } from '../support/worlds/own-engine';
import { useWorld } from '../support/worlds/use-world';

const MOST_SIGNALS = 20;
/** An engine that takes few signals a run. */
const engine = useEngine({ 'history.maximumSignalsPerExecution': String(MOST_SIGNALS) });
const world = useWorld(() => ({ engineAddress: engine.address }));

test('a session that others have sent all the signals it may have is cancelled all the same', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const workflow = world.client.workflow.getHandle(session.workflowId);
  for (let sent = 0; sent < MOST_SIGNALS; sent += 1) await workflow.signal('junk');
  await expect(workflow.signal('junk')).rejects.toThrow();
  await session.cancel({ by: 'Robin' });
  expect(await session.result()).toMatchObject({
    cancel: { outcome: 'cancelled' },
    decisions: [{ decision: 'cancel', by: 'Robin', result: 'cancelled' }],
  });
});
