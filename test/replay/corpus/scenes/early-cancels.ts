import { ends, hasTrouble, isCancelled } from '../acts';
import { ended, NEVER_OPENED } from '../ending';
import type { Scenes } from '../scene';
import { cancelled, staysInitiated } from './cancel-scene';

/** Scenes that cancel a session before it has opened. */
export const earlyCancelScenes: Scenes = {
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
  'cancelled-during-create': cancelled(
    'the create finishes, then its session is cancelled',
    async (stage) => {
      const create = stage.sandbox.hold('create', 'after');
      const session = await stage.sessions.start(stage.input(staysInitiated));
      await create.reached;
      const reply = session.cancelAndWait();
      await isCancelled(session);
      create.release();
      await reply;
    },
  ),
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
