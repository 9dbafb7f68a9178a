import { expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { useWorld } from '../../../support/worlds/use-world';
import { givenUp } from '../../../support/workflows/follow/left-alone';

/**
 * Creates go before any look at another session, one a second. Those who do not have their turn within seconds come back at random times
 * within a minute: there are so many that some wait at any moment.
 */
const CREATES = 240;
const busy = useWorld({ account: { callsPerSecond: 1 }, sandbox: { idleExpiryMs: 3_600_000 } });

/**
 * While a signature is awaited, it is polled first just before its deadline, when the creates are under way: a slow machine takes a while to
 * start them.
 */
const POLICY = {
  fastestPoll: '1m',
  slowestPoll: '1m',
  slowestUnsignedPoll: '1m',
  padSignatureDeadline: '50s',
} as const;
const MINUTES = 6 * 60_000;

test(
  'the service has the last word, although the poll waits for its turn for a minute after the deadline',
  async () => {
    const { session, sessionId } = await busy.sessions.open(busy.input(leftOpen(), POLICY));
    const payor = busy.payor(sessionId);
    payor.validatesBank();
    expect(await session.refresh()).toMatchObject({ code: 'EFT0302' });
    const others = await Promise.all(
      Array.from({ length: CREATES }, () => busy.sessions.start(busy.input(leftOpen()))),
    );
    payor.signsPad();
    await givenUp(busy, session);
    // A cancel would be a call of its own, at the same rate.
    const ended = others.map(({ workflowId }) => busy.client.workflow.getHandle(workflowId).terminate());
    await Promise.all(ended);
    expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  },
  MINUTES,
);
