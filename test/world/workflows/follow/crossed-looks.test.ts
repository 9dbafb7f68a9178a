import { afterEach, expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Opens a session whose bank account is validated, and which is polled only for a refresh and at its signature deadline. */
async function validated() {
  const policy = {
    fastestPoll: '1h',
    slowestPoll: '1h',
    padSignatureDeadline: '8s',
    refreshSpacing: '100ms',
  } as const;
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen(), policy));
  const payor = world.payor(sessionId);
  payor.validatesBank();
  expect(await session.refresh()).toMatchObject({ code: 'EFT0302' });
  return { session, payor };
}

// The poll at the deadline sees the session unsigned, but its answer is delayed. Meanwhile the payor signs, and a refresh starts
// a second poll. The old answer must not end the session as unsigned.
test('an outdated answer to the poll at the signature deadline does not end a session that was signed meanwhile', async () => {
  const { session, payor } = await validated();
  const lastPoll = world.sandbox.hold('details', 'after');
  await lastPoll.reached;
  payor.signsPad();
  const refresh = world.sandbox.hold('details', 'after');
  const refreshed = session.refresh();
  await refresh.reached;
  const pollsOver = async () => {
    const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    return (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes != null).length;
  };
  const before = await pollsOver();
  lastPoll.release();
  await until(pollsOver, (count) => count > before);
  refresh.release();
  expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  expect(await refreshed).toMatchObject({ code: 'EFT0301' });
});
