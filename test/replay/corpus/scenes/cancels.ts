import { ends, RARELY } from '../acts';
import type { Scenes } from '../scene';
import { cancelled, staysInitiated } from './cancel-scene';

/** Scenes in which different callers cancel an open session at different times. */
export const cancelScenes: Scenes = {
  'cancelled-by-signal': cancelled('by the signal', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await session.cancel();
    await ends(session);
  }),
  'cancelled-by-update': cancelled('by the update', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await session.cancelAndWait();
  }),
  'cancelled-by-workflow-cancel': cancelled('by cancelling the workflow', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await stage.client.workflow.getHandle(session.workflowId).cancel();
    await ends(session);
  }),
  'cancelled-while-waiting': cancelled('interrupts the wait for the next poll', async (stage) => {
    const { session } = await stage.open(staysInitiated, RARELY);
    await session.cancelAndWait();
  }),
  'cancelled-while-polling': cancelled('does not wait for a poll under way', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    const poll = stage.sandbox.hold('details', 'before');
    await poll.reached;
    await session.cancelAndWait();
    poll.release();
  }),
  'cancelled-during-single-poll': cancelled('leaves a single poll behind', async (stage) => {
    const { session } = await stage.open(staysInitiated, RARELY);
    const poll = stage.sandbox.hold('details', 'before');
    const refreshed = session.refresh();
    await poll.reached;
    await session.cancelAndWait();
    poll.release();
    await refreshed;
  }),
  'cancelled-by-many-at-once': cancelled('many at once are one cancel', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await Promise.all([
      session.cancelAndWait(),
      session.cancel(),
      session.cancelAndWait(),
      session.cancelAndWait(),
      session.cancel(),
    ]);
    await ends(session);
  }),
};
