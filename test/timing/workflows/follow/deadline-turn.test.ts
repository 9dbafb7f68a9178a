import { expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { useWorld } from '../../../support/worlds/use-world';

/**
 * The number of other sessions. Each makes a call a second, and the account allows four calls a second. So a call waits about 15 seconds.
 */
const NEIGHBOURS = 60;
const busy = useWorld({ account: { callsPerSecond: 4 } });

const DEADLINE_MS = 24_000;
/** The session's first poll is due four seconds before its deadline. The poll still waits for its turn when the deadline passes. */
const POLICY = { fastestPoll: '20s', slowestPoll: '20s', deadline: `${DEADLINE_MS}ms` } as const;

test('if a session’s deadline passes while its poll waits for its turn, its calls are sent before the polls of other sessions', async () => {
  const { session, sessionId } = await busy.sessions.open(busy.input(leftOpen(), POLICY));
  const { startTime } = await busy.client.workflow.getHandle(session.workflowId).describe();
  const neighbours = await Promise.all(
    Array.from({ length: NEIGHBOURS }, () =>
      busy.sessions.start(busy.input(leftOpen(), { fastestPoll: '1s', slowestPoll: '1s' })),
    ),
  );
  expect(await session.result()).toMatchObject({ status: 'Cancelled', cancel: { by: 'deadline' } });
  const { calls } = busy.sandbox;
  const cancelled = calls.findIndex((call) => call.route === 'cancel' && call.sessionId === sessionId);
  const deadlineAtMs = startTime.getTime() + DEADLINE_MS;
  const between = calls.slice(0, cancelled).filter(({ at }) => Date.parse(at) >= deadlineAtMs);
  expect(between.filter((call) => call.sessionId === sessionId)).toMatchObject([{ route: 'details' }]);
  expect(between.length).toBeLessThan(NEIGHBOURS / 4);
  await Promise.all(neighbours.map((neighbour) => neighbour.cancelAndWait()));
});
