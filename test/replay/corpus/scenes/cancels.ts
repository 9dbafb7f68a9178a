import type { PlainAction } from '../../../../sandbox';
import { eft } from '../../../support/requests';
import { until } from '../../../support/wait';
import { ALWAYS, completes, ends, hasTrouble, isCancelled, isCode, RARELY } from '../acts';
import { CANCELLED, COMPLETED, ended, NEVER_OPENED, OPENED, stays, VALIDATED } from '../ending';
import type { LiveScene, LiveStage, Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');
const won = ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' });

/** A cancel that the payor, or time, gets ahead of. */
const lost = (
  tells: string,
  state: string,
  outcome: string,
  ...actions: readonly PlainAction[]
): LiveScene => ({
  tells,
  play: async ({ open, sandbox }) => {
    const { session, sessionId } = await open(staysInitiated, RARELY);
    const cancel = sandbox.hold('cancel', 'before');
    const reply = session.cancelAndWait();
    await cancel.reached;
    for (const action of actions) sandbox.act(sessionId, action);
    cancel.release();
    await reply;
  },
  expected: ended([OPENED, state], { cancel: `caller: ${outcome}` }),
});

const opened = (tells: string, play: (stage: LiveStage) => Promise<unknown>): LiveScene => ({
  tells,
  play,
  expected: won,
});

/** Cancels before there is a session. */
const early: Scenes = {
  'cancelled-before-create': {
    tells: 'nothing is ever created',
    play: async ({ sessions, input, startWorker, stopWorker }) => {
      await stopWorker();
      const session = await sessions.start(input(staysInitiated));
      await session.cancel();
      await startWorker();
      await ends(session);
    },
    expected: ended([NEVER_OPENED], { cancel: 'caller: neverCreated' }),
  },
  'cancelled-during-create': opened('the create finishes, then its session is cancelled', async (stage) => {
    const create = stage.sandbox.hold('create', 'after');
    const session = await stage.sessions.start(stage.input(staysInitiated));
    await create.reached;
    const reply = session.cancelAndWait();
    await isCancelled(session);
    create.release();
    await reply;
  }),
  'cancelled-during-authorize': {
    tells: 'the token is not waited for',
    play: async ({ sandbox, sessions, input }) => {
      const authorize = sandbox.hold('authorize', 'before');
      const session = await sessions.start(input(staysInitiated));
      await authorize.reached;
      await session.cancelAndWait();
      authorize.release();
    },
    expected: ended([NEVER_OPENED], { cancel: 'caller: neverCreated' }),
  },
  'cancelled-during-back-off': {
    tells: 'the wait to create again ends, and nothing is created',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '60' });
      const session = await sessions.start(input(staysInitiated));
      await hasTrouble(session, 'SERVICE_RATE_LIMITED');
      await session.cancelAndWait();
    },
    expected: ended([NEVER_OPENED], { cancel: 'caller: neverCreated' }),
  },
  'cancelled-during-back-off-with-an-orphan': {
    tells: 'a create before was lost: there may be a session',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('create', { kind: 'reset', phase: 'after' });
      sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '60', phase: 'after' });
      const session = await sessions.start(input(staysInitiated));
      await hasTrouble(session, 'SERVICE_RATE_LIMITED');
      await session.cancelAndWait();
    },
    expected: ended([NEVER_OPENED], { anomalies: ['possibleOrphan'], cancel: 'caller: possiblyCreated' }),
  },
};

/** Cancels of an open session, by whom and when. */
const open: Scenes = {
  'cancelled-by-signal': opened('by the signal', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await session.cancel();
    await ends(session);
  }),
  'cancelled-by-update': opened('by the update', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await session.cancelAndWait();
  }),
  'cancelled-by-workflow-cancel': opened('by cancelling the workflow', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    await stage.client.workflow.getHandle(session.workflowId).cancel();
    await ends(session);
  }),
  'cancelled-while-waiting': opened('interrupts the wait for the next poll', async (stage) => {
    const { session } = await stage.open(staysInitiated, RARELY);
    await session.cancelAndWait();
  }),
  'cancelled-while-polling': opened('does not wait for a poll under way', async (stage) => {
    const { session } = await stage.open(staysInitiated);
    const poll = stage.sandbox.hold('details', 'before');
    await poll.reached;
    await session.cancelAndWait();
    poll.release();
  }),
  'cancelled-by-many-at-once': opened('many at once are one cancel', async (stage) => {
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

/** Cancels that the service does not take, or not at once. */
const troubled: Scenes = {
  'cancel-lost-to-completion': lost(
    'the payor completes first',
    COMPLETED,
    'lostToCompletion',
    'payorStarted',
    'completed',
  ),
  'cancel-lost-to-failure': lost(
    'the payor fails first',
    'Failed/EFT0403 poll',
    'lostToFailure',
    'payorStarted',
    'identityFailed',
  ),
  'cancel-lost-to-expiry': lost(
    'the session expires first',
    'Expired/EFT0601 poll',
    'lostToExpiry',
    'expired',
  ),
  'cancel-after-validation': {
    tells: 'a validated session cannot be cancelled; it is followed to the signature',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      stage.sandbox.act(sessionId, 'payorStarted');
      stage.sandbox.act(sessionId, 'bankValidated');
      await isCode(session, 'EFT0302');
      await session.cancelAndWait();
      stage.sandbox.act(sessionId, 'padSigned');
      await ends(session);
    },
    expected: ended([OPENED, VALIDATED, COMPLETED], { cancel: 'caller: lostToCompletion' }),
  },
  'cancel-server-errors': opened('the service fails, then takes the cancel', async (stage) => {
    const { session } = await stage.open(staysInitiated, RARELY);
    stage.sandbox.failNext('cancel', { kind: 'status', status: 503 }, 4);
    await session.cancelAndWait();
  }),
  'cancel-answer-lost': {
    tells: 'the cancel’s answer is lost: the repetition is refused, and the details tell the end',
    play: async (stage) => {
      const { session } = await stage.open(staysInitiated, RARELY);
      stage.sandbox.failNext('cancel', { kind: 'reset', phase: 'after' });
      await session.cancelAndWait();
    },
    expected: ended([OPENED, 'Cancelled/EFT0501 poll'], { cancel: 'caller: cancelled' }),
  },
  'cancel-denied-for-a-while': {
    tells: 'the service denies to know the session, then takes the cancel',
    play: async ({ open: opens, sandbox }) => {
      const { session } = await opens(staysInitiated, RARELY);
      sandbox.failNext('cancel', { kind: 'status', status: 404 }, 2);
      sandbox.failNext('details', { kind: 'status', status: 404 }, 2);
      await session.cancelAndWait();
    },
    expected: { ...won, anomalies: ['sessionUnknown'] },
  },
  'cancel-refused-for-a-while': opened(
    'the service refuses the cancel of an open session, then takes it',
    async (stage) => {
      const { session } = await stage.open(staysInitiated, RARELY);
      stage.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 2);
      await session.cancelAndWait();
    },
  ),
  'cancel-never-taken': {
    tells: 'the service cannot cancel; the payor completes, and the details tell so',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, RARELY);
      stage.sandbox.failNext('cancel', { kind: 'status', status: 500 }, ALWAYS);
      await session.cancel();
      await hasTrouble(session, 'SERVICE_FAILED');
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED], { cancel: 'caller: lostToCompletion' }),
  },
  'cancel-not-settled-yet': {
    tells: 'the service fails every cancel: the session is still being cancelled',
    play: async ({ open: opens, sandbox }) => {
      const { session } = await opens(staysInitiated, RARELY);
      sandbox.failNext('cancel', { kind: 'status', status: 500 }, ALWAYS);
      await session.cancel();
      await until(
        () => session.state(),
        ({ trouble }) => trouble?.code === 'SERVICE_FAILED',
      );
    },
    expected: stays('cancelling', [OPENED], { cancel: 'caller: pending', trouble: 'SERVICE_FAILED' }),
  },
};

export const cancelScenes: Scenes = { ...early, ...open, ...troubled };
