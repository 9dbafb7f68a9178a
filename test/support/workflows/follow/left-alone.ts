import { expect } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy, SessionRequest } from '../../../../src';
import { leftOpen } from '../../requests';
import { stateOf, until } from '../../wait';
import type { World } from '../../worlds/world';

/** Four sessions whose deadlines pass while no worker polls them. Each has a different outcome. */
export interface LeftAlone {
  /** The payor signs in time. */
  readonly signed: PaymentSessionHandle;
  /** The payor never signs. */
  readonly unsigned: PaymentSessionHandle;
  /** The payor pays in time. */
  readonly completed: PaymentSessionHandle;
  /** The payor does nothing. */
  readonly left: PaymentSessionHandle;
  /** Makes the payors of `signed` and `completed` act. Tests call it before the deadlines. */
  readonly payorsAct: () => void;
}

/** The policy of `signed` and `unsigned`, whose payors have validated the bank account. */
const SIGNATURE = { padSignatureDeadline: '8s' } as const;
/** The policy of `completed` and `left`. Its deadline is longer, because these sessions open first. */
const OVERALL = { deadline: '14s' } as const;
/** The time in milliseconds after which all deadlines have passed, counted from when all sessions are ready. */
export const DEADLINES_MS = 14_000;

/** Opens the sessions, and waits until each is in the state in which its deadline should pass. */
export async function openToBeLeft(world: World): Promise<LeftAlone> {
  const open = async (policy: SessionPolicy, request: SessionRequest = leftOpen()) => {
    const quick = { fastestPoll: '100ms', slowestPoll: '200ms', slowestUnsignedPoll: '200ms' } as const;
    const opened = await world.sessions.open(world.input(request, { ...quick, ...policy }));
    return { ...opened, payor: world.payor(opened.sessionId) };
  };
  const validated = async () => {
    const opened = await open(SIGNATURE);
    opened.payor.validatesBank();
    await stateOf(opened.session, ({ code }) => code === 'EFT0302');
    return opened;
  };
  const [completed, left] = await Promise.all([open(OVERALL), open(OVERALL)]);
  const [signed, unsigned] = await Promise.all([validated(), validated()]);
  return {
    signed: signed.session,
    unsigned: unsigned.session,
    completed: completed.session,
    left: left.session,
    payorsAct: () => {
      signed.payor.signsPad();
      completed.payor.completes();
    },
  };
}

/** Waits until the activity that polls the session has timed out. */
export async function givenUp({ client }: World, { workflowId }: PaymentSessionHandle): Promise<void> {
  await until(
    () => client.workflow.getHandle(workflowId).fetchHistory(),
    ({ events }) => (events ?? []).some((event) => event.activityTaskTimedOutEventAttributes != null),
  );
}

export async function allGivenUp(
  world: World,
  { signed, unsigned, completed, left }: LeftAlone,
): Promise<void> {
  await Promise.all([signed, unsigned, completed, left].map((session) => givenUp(world, session)));
}

/** Checks that each session ends with its status at the service, although no worker polled it before its deadline. */
export async function endAsTheServiceSays({ signed, unsigned, completed, left }: LeftAlone): Promise<void> {
  expect(await signed.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  expect(await completed.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  expect(await unsigned.result()).toMatchObject({ paid: false, unsigned: true });
  expect(await left.result()).toMatchObject({ status: 'Cancelled', cancel: { by: 'deadline' } });
  for (const session of [signed, completed]) {
    expect(await session.state()).not.toHaveProperty('unverified');
    expect((await session.result()).cancel).toBeUndefined();
  }
}
