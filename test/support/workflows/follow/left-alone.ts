import { expect } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy, SessionRequest } from '../../../../src';
import { leftOpen } from '../../requests';
import { stateOf, until } from '../../wait';
import type { World } from '../../worlds/world';

/** Sessions whose deadlines pass while no worker runs, each with another outcome. */
export interface LeftAlone {
  /** The payor signs in time. */
  readonly signed: PaymentSessionHandle;
  /** The payor never signs. */
  readonly unsigned: PaymentSessionHandle;
  /** The payor pays in time. */
  readonly completed: PaymentSessionHandle;
  /** The payor does nothing. */
  readonly left: PaymentSessionHandle;
  /** Lets the payors act in time. */
  readonly payorsAct: () => void;
}

/** The deadline of a session whose bank account is validated. */
const SIGNATURE = { padSignatureDeadline: '8s' } as const;
/** Later than that: these are opened first. */
const OVERALL = { deadline: '14s' } as const;
/** When the last of these deadlines passes at the latest, in milliseconds after all are under way. */
export const DEADLINES_MS = 14_000;

/** Opens them, and waits until they need no worker until their deadlines. */
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

/** Waits until the Temporal server has noticed that no worker followed the session in time. */
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

/** Checks that each session ends in the service's state, however late a worker came back to poll it. */
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
