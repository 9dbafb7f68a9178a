import { expect, test } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy, SessionRequest } from '../../../src';
import { leftOpen } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';
import { stateOf, until } from '../../support/wait';

/** Deadlines that pass, and a minute after them, while no worker is there: on a real server, in real time. */
const world = useWorld({ sandbox: { idleExpiryMs: 3_600_000 } });

const MINUTES = 4 * 60_000;

async function open(policy: SessionPolicy, request: SessionRequest = leftOpen()) {
  const quick = { fastestPoll: '100ms', slowestPoll: '200ms', slowestUnsignedPoll: '200ms' } as const;
  const opened = await world.sessions.open(world.input(request, { ...quick, ...policy }));
  return { ...opened, payor: world.payor(opened.sessionId) };
}

async function validated(policy: SessionPolicy) {
  const opened = await open(policy);
  opened.payor.validatesBank();
  await stateOf(opened.session, ({ code }) => code === 'EFT0302');
  return opened;
}

/** Nobody has followed the session in time, and the engine has noticed. */
const isGivenUp = (session: PaymentSessionHandle) =>
  until(
    () => world.client.workflow.getHandle(session.workflowId).fetchHistory(),
    ({ events }) => (events ?? []).some((event) => event.activityTaskTimedOutEventAttributes != null),
    2 * 60_000,
  );

test(
  'the service has the last word, however late somebody comes back to ask',
  async () => {
    const signed = await validated({ padSignatureDeadline: '4s' });
    const unsigned = await validated({ padSignatureDeadline: '4s' });
    const completed = await open({ deadline: '8s' });
    const left = await open({ deadline: '8s' });
    await world.stopWorker();
    signed.payor.signsPad();
    completed.payor.completes();
    await Promise.all([signed, unsigned, completed, left].map(({ session }) => isGivenUp(session)));
    await world.startWorker();
    expect(await signed.session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
    expect(await completed.session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
    expect(await unsigned.session.result()).toMatchObject({ paid: false, unsigned: true });
    expect(await left.session.result()).toMatchObject({ status: 'Cancelled', cancel: { by: 'deadline' } });
    for (const { session } of [signed, completed]) {
      expect(await session.state()).not.toHaveProperty('unverified');
      expect((await session.result()).cancel).toBeUndefined();
    }
  },
  MINUTES,
);
