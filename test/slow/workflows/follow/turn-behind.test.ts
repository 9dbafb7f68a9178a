import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { park } from '../../../support/park';
import { leftOpen } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { givenUp } from '../../../support/workflows/follow/left-alone';

/** A world with a rate limit so low that a poll waits 25 seconds for its turn: the longest time that a poll may wait. */
const busy = useWorld({ account: { callsPerSecond: 0.08 }, sandbox: { idleExpiryMs: 3_600_000 } });

/** With this policy, the next poll of an unsigned session is due just before the signature deadline. */
const POLICY = {
  fastestPoll: '1s',
  slowestPoll: '1s',
  slowestUnsignedPoll: '1m',
  padSignatureDeadline: '30s',
} as const;
const MINUTES = 10 * 60_000;

test(
  'a session ends with the service’s final status, although its poll waits for its turn until a minute after the deadline',
  async () => {
    const { session: parked } = await park(busy);
    const { session, sessionId } = await busy.sessions.open(busy.input(leftOpen(), POLICY), {
      timeoutMs: 60_000,
    });
    const payor = busy.payor(sessionId);
    payor.validatesBank();
    await stateOf(session, ({ code }) => code === 'EFT0302');
    payor.signsPad();
    // A person waits for a preview, so its call is sent before polls. Every poll then waits longer.
    const previews = setInterval(() => {
      parked.previewAdopt(randomUUID()).catch(() => undefined);
    }, 2_000);
    try {
      await givenUp(busy, session);
    } finally {
      clearInterval(previews);
    }
    expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  },
  MINUTES,
);
