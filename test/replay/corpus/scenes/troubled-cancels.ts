import { ALWAYS, completes, ends, hasTrouble, isCode, RARELY } from '../acts';
import { COMPLETED, ended, OPENED, stays, VALIDATED } from '../ending';
import type { LiveScene, Scenes } from '../scene';
import { cancelled, staysInitiated, WON } from './cancel-scene';
import type { PlainEvent } from '../../../../sandbox/sessions/transitions';

/** Returns a scene whose cancel reaches the service after the payor's actions, or after the session has expired. */
const lost = (
  tells: string,
  state: string,
  outcome: string,
  ...actions: readonly PlainEvent[]
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

/** Scenes of cancels that the service does not accept at once, or never. */
export const troubledCancelScenes: Scenes = {
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
  'cancel-server-errors': cancelled('the service fails, then takes the cancel', async (stage) => {
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
    play: async ({ open, sandbox }) => {
      const { session } = await open(staysInitiated, RARELY);
      sandbox.failNext('cancel', { kind: 'status', status: 404 }, 2);
      sandbox.failNext('details', { kind: 'status', status: 404 }, 2);
      await session.cancelAndWait();
    },
    expected: { ...WON, anomalies: ['sessionUnknown'] },
  },
  'cancel-refused-for-a-while': cancelled(
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
    play: async ({ open, sandbox }) => {
      const { session } = await open(staysInitiated, RARELY);
      sandbox.failNext('cancel', { kind: 'status', status: 500 }, ALWAYS);
      await session.cancel();
      await hasTrouble(session, 'SERVICE_FAILED');
    },
    expected: stays('cancelling', [OPENED], { cancel: 'caller: pending', trouble: 'SERVICE_FAILED' }),
  },
};
