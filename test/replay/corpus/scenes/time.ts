import { newlyPaused } from '../../../support/newly-paused';
import { eft } from '../../../support/requests';
import { ALWAYS, ends, RARELY } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED, VALIDATED } from '../ending';
import type { PaymentSessionHandle } from '../../../../src';
import type { Scenes, VirtualStage } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');

const NEVER_EXPIRES = { idleExpiryMs: 1e12, absoluteExpiryMs: 1e12 };

/** Makes all polls fail, and returns a session whose poll the worker has just postponed. */
async function pausedInAnOutage(stage: VirtualStage): Promise<PaymentSessionHandle> {
  const { sandbox, sessions, input, open, advance } = stage;
  const quick = { fastestPoll: '30s' } as const;
  const { session } = await open(staysInitiated, quick);
  const others = Array.from({ length: 11 }, (_, other) => `${stage.key}-${other}`);
  await Promise.all(others.map((key) => sessions.open({ ...input(staysInitiated, quick), key })));
  sandbox.failNext('details', { kind: 'status', status: 503 }, ALWAYS);
  await advance('5m');
  return newlyPaused(advance, [session]);
}

/** Scenes that take minutes, hours or weeks. */
export const timeScenes: Scenes = {
  'expired-when-the-payor-left': {
    tells: 'the payor leaves, and the session expires after fifteen minutes',
    playInVirtualTime: async ({ open, payor }) => {
      const { session, sessionId } = await open(eft(), { fastestPoll: '4m', slowestPoll: '4m' });
      await payor(sessionId).leaves();
      await session.result();
    },
    expected: ended([OPENED, 'Expired/EFT0601 poll']),
  },
  'refreshed-during-a-pause': {
    tells:
      'a person asks while the service fails and the worker pauses: the poll goes at once, and fails as well',
    sandbox: NEVER_EXPIRES,
    playInVirtualTime: async (stage) => {
      const session = await pausedInAnOutage(stage);
      await session.refresh();
      stage.sandbox.clearFaults();
      await session.refresh();
      await session.cancelAndWait();
    },
    expected: ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'refreshed-during-a-cancel': {
    tells: 'a person asks while the cancel is repeated: another is made at once, and fails as well',
    sandbox: NEVER_EXPIRES,
    playInVirtualTime: async ({ open, sandbox, advance }) => {
      const { session } = await open(staysInitiated, { fastestPoll: '5m' });
      sandbox.failNext('cancel', { kind: 'status', status: 503 }, ALWAYS);
      await session.cancel();
      await advance('2m');
      await session.refresh();
      sandbox.clearFaults();
      await session.refresh();
    },
    expected: ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'signed-after-three-days': {
    tells: 'the PAD is signed three days after the validation',
    playInVirtualTime: async ({ open, payor }) => {
      const { session, sessionId } = await open(eft(), { fastestPoll: '12h', slowestUnsignedPoll: '12h' });
      await payor(sessionId).signsPadAfter('3d');
      await session.refresh();
      await session.result();
    },
    expected: ended([OPENED, VALIDATED, COMPLETED]),
  },
  'never-signed': {
    tells: 'the PAD is not signed in thirty days: the deadline ends the session, marked as unsigned',
    playInVirtualTime: async ({ open, payor }) => {
      const { session, sessionId } = await open(eft(), { fastestPoll: '5d', slowestUnsignedPoll: '5d' });
      await payor(sessionId).validatesBank();
      await session.refresh();
      await session.result();
    },
    expected: ended([OPENED, VALIDATED], { unsigned: true }),
  },
  'signed-just-before-the-deadline': {
    tells: 'the PAD is signed in the last hour before its deadline, which is the last poll',
    playInVirtualTime: async ({ open, payor }) => {
      const policy = { fastestPoll: '1d', slowestUnsignedPoll: '1d', padSignatureDeadline: '2d' } as const;
      const { session, sessionId } = await open(eft(), policy);
      await payor(sessionId).signsPadAfter('47h');
      await session.refresh();
      await session.result();
    },
    expected: ended([OPENED, VALIDATED, COMPLETED]),
  },
  'cancelled-by-the-deadline': {
    tells: 'the overall deadline cancels an unfinished session',
    sandbox: NEVER_EXPIRES,
    playInVirtualTime: async ({ open }) => {
      const { session } = await open(eft(), { fastestPoll: '6h', slowestPoll: '6h' });
      await session.result();
    },
    expected: ended([OPENED, CANCELLED], { cancel: 'deadline: cancelled' }),
  },
  'completed-at-the-deadline': {
    tells: 'the payor completes after the last poll; the cancel at the deadline learns of it',
    sandbox: NEVER_EXPIRES,
    playInVirtualTime: async ({ open, payor }) => {
      const policy = { fastestPoll: '20h', slowestPoll: '20h' } as const;
      const { session, sessionId } = await open(eft(), { ...policy, deadline: '20h' });
      await payor(sessionId).after('10h').completes();
      await session.result();
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'create-deadline-passed': {
    tells: 'the service refuses every token until the deadline: there never was a session',
    playInVirtualTime: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('create', { kind: 'status', status: 401 }, 200);
      const session = await sessions.start(input(eft(), { deadline: '1m' }));
      await ends(session);
    },
    expected: ended([], { failure: 'CREATE_DEADLINE_PASSED', trouble: 'SERVICE_TOKEN_REJECTED' }),
  },
  'polls-fail-for-half-an-hour': {
    tells: 'the service fails for a while: polls slow down, and the session goes on',
    playInVirtualTime: async ({ open, payor, sandbox }) => {
      const { session, sessionId } = await open(eft(), { fastestPoll: '2m', slowestPoll: '10m' });
      sandbox.failNext('details', { kind: 'status', status: 503 }, 4);
      await payor(sessionId).completes();
      await session.result();
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'polls-obey-retry-after': {
    tells: 'the service limits calls and asks for a quarter of an hour',
    playInVirtualTime: async ({ open, payor, sandbox }) => {
      const { session, sessionId } = await open(eft(), { fastestPoll: '2m', slowestPoll: '2m' });
      sandbox.failNext('details', { kind: 'status', status: 429, retryAfter: '900' });
      await payor(sessionId).completes();
      await session.result();
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'rarely-polled-and-cancelled': {
    tells: 'a cancel interrupts an hour’s wait for the next poll',
    sandbox: NEVER_EXPIRES,
    playInVirtualTime: async ({ open, advance }) => {
      const { session } = await open(eft(), RARELY);
      await advance('90m');
      await session.cancelAndWait();
    },
    expected: ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
};
