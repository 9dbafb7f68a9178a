import type { PaymentSessionHandle } from '../../../../src';
import { eft } from '../../../support/requests';
import { resetRun } from '../../../support/reset-run';
import { until } from '../../../support/wait';
import { ends, isParked, lastCreated, park } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED } from '../ending';
import type { LiveStage, Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');

/** Resets the session's run to its nth workflow task. */
const reset = ({ client }: LiveStage, { workflowId }: PaymentSessionHandle, taskIndex: number) =>
  until(
    () => resetRun(client, workflowId, taskIndex, { isTold: false }),
    (isDone) => isDone,
  );

/** Scenes in which an operator resets a session's run. The new run does not know the events after the reset point. */
export const resetScenes: Scenes = {
  'reset-before-its-create-parked': {
    tells: 'a run is reset to before its create; a person names what that has made',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, { onUnknownCreate: 'park' });
      await reset(stage, session, 0);
      await isParked(session);
      await session.resolveCreate({ sessionId });
      await session.cancelAndWait();
    },
    expected: ended(['Initiated/EFT0101 poll', CANCELLED], { cancel: 'caller: cancelled' }),
  },
  'reset-before-its-create-retried': {
    tells: 'a run is reset to before its create, which is made again by a person’s decision',
    play: async (stage) => {
      const { session } = await stage.open(eft('sandbox-completes'));
      await ends(session);
      await reset(stage, session, 0);
      await isParked(session);
      await session.resolveCreate({ retry: true });
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED], { anomalies: ['possibleOrphan'] }),
  },
  'reset-to-where-it-was-parked': {
    tells: 'a run is reset to where it was parked; a person names what the first of two creates has made',
    play: async (stage) => {
      const session = await park(stage, staysInitiated);
      const sessionId = lastCreated(stage);
      await session.resolveCreate({ retry: true });
      await session.opened();
      await reset(stage, session, 1);
      await isParked(session);
      await session.resolveCreate({ sessionId });
      await session.cancelAndWait();
    },
    expected: ended(['Initiated/EFT0101 poll', CANCELLED], {
      anomalies: ['possibleOrphan'],
      cancel: 'caller: cancelled',
    }),
  },
};
