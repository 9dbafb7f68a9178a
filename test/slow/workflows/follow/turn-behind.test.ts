import { expect, test } from '@jest/globals';
import { leftOpen } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { givenUp } from '../../../support/workflows/follow/left-alone';

/**
 * Creates go before any look at another session, one a second. Those who do not have their turn within seconds come back at random times
 * within a minute: there are so many that some wait at any moment.
 */
const CREATES = 240;
const busy = useWorld({ account: { callsPerSecond: 1 }, sandbox: { idleExpiryMs: 3_600_000 } });

/** While a signature is awaited, it is polled first just before its deadline, when the creates are under way. */
const POLICY = {
  fastestPoll: '1s',
  slowestPoll: '9s',
  slowestUnsignedPoll: '9s',
  padSignatureDeadline: '8s',
} as const;
const MINUTES = 4 * 60_000;

test(
  'the service has the last word, although the look at it waits for its turn for a minute after the deadline',
  async () => {
    const { session, sessionId } = await busy.sessions.open(busy.input(leftOpen(), POLICY));
    const payor = busy.payor(sessionId);
    payor.validatesBank();
    await stateOf(session, ({ code }) => code === 'EFT0302');
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
