import { eft } from '../../../support/requests';
import { completes, ends, lastCreated, NO_SESSION, park } from '../acts';
import { CANCELLED, COMPLETED, ended, NEVER_OPENED } from '../ending';
import type { LiveStage, Scenes } from '../scene';

const ADOPTED = 'Initiated/EFT0101 poll';
const ORPHAN = ['possibleOrphan'];

/** Parks a session. The operator first names another key's session, and then the right one. */
async function firstNamesAnother(
  stage: LiveStage,
  request: Parameters<LiveStage['other']>[0],
): Promise<void> {
  const stranger = await stage.sessions.open(stage.other(request));
  const session = await park(stage, eft('sandbox-stays-initiated'));
  await session.resolveCreate({ sessionId: stranger.sessionId });
  await session.resolveCreate({ sessionId: lastCreated(stage) });
  await session.cancelAndWait();
  await stranger.session.cancelAndWait();
}

/** Scenes of an operator's decisions on a parked session, and of cancels that wait for the decision. */
export const resolutionScenes: Scenes = {
  'resolved-by-session-id': {
    tells: 'a person names the session, which is followed to its end',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      const sessionId = lastCreated(stage);
      await session.resolveCreate({ sessionId });
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([ADOPTED, COMPLETED]),
  },
  'resolved-when-it-had-completed': {
    tells: 'the session that a person names has completed meanwhile',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      const sessionId = lastCreated(stage);
      completes(stage, sessionId);
      await session.resolveCreate({ sessionId });
      await ends(session);
    },
    expected: ended([COMPLETED]),
  },
  'resolved-after-an-unknown-id': {
    tells: 'a person first names a session that the service does not know',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      await session.resolveCreate({ sessionId: NO_SESSION });
      await session.resolveCreate({ sessionId: lastCreated(stage) });
      await session.cancelAndWait();
    },
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'resolved-after-a-mismatch': {
    tells: 'a person first names the session of another payment',
    play: (stage) => firstNamesAnother(stage, { ...eft('sandbox-stays-initiated'), amount: 999 }),
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'resolved-after-another-key': {
    tells: 'a person first names the session that another key follows',
    play: (stage) => firstNamesAnother(stage, eft('sandbox-stays-initiated')),
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'resolved-after-previews': {
    tells: 'a person looks at two sessions before, and names one of them',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      const sessionId = lastCreated(stage);
      await session.previewAdopt(NO_SESSION);
      await session.previewAdopt(sessionId);
      await session.resolveCreate({ sessionId, by: 'ann', reason: 'found by its reference' });
      await session.cancelAndWait();
    },
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'resolved-by-retry': {
    tells: 'a person has it created again',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-completes'));
      await session.resolveCreate({ retry: true });
      await ends(session);
    },
    expected: ended(['Initiated/EFT0101 create', COMPLETED], { anomalies: ORPHAN }),
  },
  'resolved-by-abandon': {
    tells: 'a person gives it up',
    play: async (stage) => {
      const session = await park(stage, eft());
      await Promise.all([session.resolveCreate({ abandon: true }), ends(session)]);
    },
    expected: ended([], { anomalies: ORPHAN, failure: 'CREATE_ABANDONED', trouble: 'SERVICE_INTERRUPTED' }),
  },
  'cancelled-while-parked-then-named': {
    tells: 'a cancel waits for the answer, and is made as soon as the session is named',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      await session.cancel();
      await session.resolveCreate({ sessionId: lastCreated(stage) });
      await ends(session);
    },
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'cancelled-while-parked-then-wrongly-named': {
    tells: 'a cancel waits for the answer, also after a wrong one',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      await session.cancel();
      await session.resolveCreate({ sessionId: NO_SESSION });
      await session.resolveCreate({ sessionId: lastCreated(stage) });
      await ends(session);
    },
    expected: ended([ADOPTED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'cancelled-while-parked-then-retried': {
    tells: 'a cancel waits for the answer; nothing is created again',
    play: async (stage) => {
      const session = await park(stage, eft());
      await session.cancel();
      await session.resolveCreate({ retry: true });
      await ends(session);
    },
    expected: ended([NEVER_OPENED], { anomalies: ORPHAN, cancel: 'caller: possiblyCreated' }),
  },
  'cancelled-while-parked-then-abandoned': {
    tells: 'a cancel waits for the answer, which gives the create up',
    play: async (stage) => {
      const session = await park(stage, eft());
      await session.cancel();
      await Promise.all([session.resolveCreate({ abandon: true }), ends(session)]);
    },
    expected: ended([], {
      anomalies: ORPHAN,
      cancel: 'caller: pending',
      failure: 'CREATE_ABANDONED',
      trouble: 'SERVICE_INTERRUPTED',
    }),
  },
  'cancelled-while-parked-when-it-had-completed': {
    tells: 'a cancel waits for the answer; the session that is named has completed',
    play: async (stage) => {
      const session = await park(stage, eft('sandbox-stays-initiated'));
      await session.cancel();
      const sessionId = lastCreated(stage);
      completes(stage, sessionId);
      await session.resolveCreate({ sessionId });
      await ends(session);
    },
    expected: ended([COMPLETED], { cancel: 'caller: lostToCompletion' }),
  },
};
