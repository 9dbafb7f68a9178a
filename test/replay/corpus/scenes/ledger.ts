import { eft } from '../../../support/requests';
import { endCreate } from '../../../support/lost-create';
import { forget } from '../../../support/ledger/forget';
import { resetRun } from '../../../support/reset-run';
import { stateOf, until } from '../../../support/wait';
import { ends } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED } from '../ending';
import type { Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');
const WON = ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' });

/** Scenes whose worker has a ledger. */
export const ledgerScenes: Scenes = {
  'on-the-ledger': {
    tells: 'the worker has a ledger, which has the key before the create',
    hasLedger: true,
    play: async ({ sessions, input }) => ends(await sessions.start(input(eft('sandbox-completes')))),
    expected: ended([OPENED, COMPLETED]),
  },
  'create-found-on-the-ledger': {
    tells: 'the Temporal server gives a create up, whose answer reaches the ledger',
    hasLedger: true,
    play: async ({ client, sandbox, sessions, input }) => {
      const create = sandbox.hold('create', 'after');
      const session = await sessions.start(input(staysInitiated));
      await create.reached;
      await endCreate(client, session.workflowId);
      await stateOf(session, ({ anomalies }) => anomalies.length > 0);
      create.release();
      await stateOf(session, ({ phase }) => phase === 'open');
      await session.cancelAndWait();
    },
    expected: { ...WON, anomalies: ['possibleOrphan'] },
  },
  'reset-before-its-create-on-the-ledger': {
    tells: 'a run is reset to before its create, whose answer the ledger has',
    hasLedger: true,
    play: async ({ client, open }) => {
      const { session } = await open(staysInitiated, { onUnknownCreate: 'park' });
      await until(
        () => resetRun(client, session.workflowId, 0, { isTold: false }),
        (isDone) => isDone,
      );
      await stateOf(session, ({ phase }) => phase === 'open');
      await session.cancelAndWait();
    },
    expected: WON,
  },
  'cancelled-before-its-create-on-the-ledger': {
    tells:
      'a session is terminated and forgotten, started again, and cancelled before its create: the ledger knows it',
    hasLedger: true,
    play: async ({ client, open, sessions, input, stopWorker, startWorker }) => {
      const { session } = await open(staysInitiated);
      await client.workflow.getHandle(session.workflowId).terminate();
      await forget({ client }, session);
      await stopWorker();
      const again = await sessions.start(input(staysInitiated));
      await again.cancel();
      await startWorker();
      await again.result();
    },
    expected: WON,
  },
};
