import type { PaymentSessionHandle } from '../../../../src';
import { eft } from '../../../support/requests';
import { until } from '../../../support/wait';
import { ALWAYS, completes, ends, hasTrouble, lastCreated, NO_SESSION, park, RARELY } from '../acts';
import { CANCELLED, COMPLETED, ended, NEVER_OPENED, OPENED, stays } from '../ending';
import type { LiveScene, LiveStage, Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');

const runIdOf = async ({ client }: LiveStage, session: PaymentSessionHandle) =>
  (await client.workflow.getHandle(session.workflowId).describe()).runId;

/** Waits until the session has continued in a new run. */
async function continued(
  stage: LiveStage,
  session: PaymentSessionHandle,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const first = await runIdOf(stage, session);
  await until(
    async () => {
      await meanwhile();
      return runIdOf(stage, session);
    },
    (runId) => runId !== first,
  );
}

/** Refuses the cancels of an open session until it has continued as new. */
async function cancelledAcrossRuns(
  stage: LiveStage,
  cancel: (session: PaymentSessionHandle) => Promise<unknown>,
): Promise<void> {
  const { session } = await stage.open(staysInitiated, RARELY);
  stage.sandbox.failNext('cancel', { kind: 'status', status: 400 }, ALWAYS);
  const answered = cancel(session);
  await continued(stage, session, () => Promise.resolve());
  stage.sandbox.clearFaults();
  await answered;
  await ends(session);
}

const cancelling: Pick<LiveScene, 'continues' | 'before' | 'expected'> = {
  continues: true,
  before: [stays('cancelling', [OPENED], { cancel: 'caller: pending', trouble: 'SERVICE_REQUEST_REJECTED' })],
  expected: ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
};

/** Scenes of sessions whose history grows long, so that they continue as new. */
const long: Scenes = {
  continued: {
    tells: 'a session whose history grows long continues as new',
    continues: true,
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, RARELY);
      await continued(stage, session, () => session.refresh());
      completes(stage, sessionId);
      await session.refresh();
    },
    before: [stays('open', [OPENED])],
    expected: ended([OPENED, COMPLETED]),
  },
  'continued-while-it-is-followed': {
    tells: 'updates that need nothing of the service make the history long: the session continues at once',
    continues: true,
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, RARELY);
      const workflow = stage.client.workflow.getHandle(session.workflowId);
      await continued(stage, session, () => workflow.executeUpdate('awaitOpened').catch(() => undefined));
      completes(stage, sessionId);
      await session.refresh();
    },
    before: [stays('open', [OPENED])],
    expected: ended([OPENED, COMPLETED]),
  },
  'continued-with-a-signalled-cancel': {
    tells: 'a cancel that the service refuses for long goes along',
    ...cancelling,
    play: (stage) => cancelledAcrossRuns(stage, (session) => session.cancel()),
  },
  'continued-with-a-waiting-cancel': {
    tells: 'a caller who waits for a cancel has the answer from the new run',
    ...cancelling,
    play: (stage) => cancelledAcrossRuns(stage, (session) => session.cancelAndWait()),
  },
};

/** The service refuses a call and asks for a long wait. The wait continues in the next run. */
const asksToWait = { kind: 'status', status: 429, retryAfter: '600' } as const;

/** Replaces the worker of a waiting session, and waits until the session has continued as new. The new worker has no memory of the wait. */
async function continuedWhileWaiting(stage: LiveStage, session: PaymentSessionHandle): Promise<void> {
  await hasTrouble(session, 'SERVICE_RATE_LIMITED');
  await stage.stopWorker();
  await stage.startWorker();
  await continued(stage, session, () => stage.client.workflow.getHandle(session.workflowId).signal('nudge'));
}

/** Scenes of sessions that continue as new while they wait. */
const waiting: Scenes = {
  'continued-while-parked': {
    tells: 'a person names wrong sessions until the history is long, and gives up in the next run',
    continues: true,
    play: async (stage) => {
      const session = await park(stage, eft());
      await continued(stage, session, () => session.resolveCreate({ sessionId: NO_SESSION }));
      await Promise.all([session.resolveCreate({ abandon: true }), ends(session)]);
    },
    before: [stays('parked', [], { trouble: 'SERVICE_INTERRUPTED' })],
    expected: ended([], {
      anomalies: ['possibleOrphan'],
      failure: 'CREATE_ABANDONED',
      trouble: 'SERVICE_INTERRUPTED',
    }),
  },
  'continued-before-its-create': {
    tells:
      'the service asks to wait before the create is repeated, and the session continues as new meanwhile',
    continues: true,
    play: async (stage) => {
      stage.sandbox.failNext('create', asksToWait, ALWAYS);
      const session = await stage.sessions.start(stage.input(eft()));
      await continuedWhileWaiting(stage, session);
      await session.cancelAndWait();
    },
    before: [stays('creating', [], { trouble: 'SERVICE_RATE_LIMITED' })],
    expected: ended([NEVER_OPENED], { cancel: 'caller: neverCreated' }),
  },
  'continued-before-its-poll': {
    tells: 'the service asks to wait before the next poll, and the session continues as new meanwhile',
    continues: true,
    play: async (stage) => {
      const { session } = await stage.open(staysInitiated);
      stage.sandbox.failNext('details', asksToWait, ALWAYS);
      await continuedWhileWaiting(stage, session);
      stage.sandbox.clearFaults();
      await session.cancelAndWait();
    },
    before: [stays('open', [OPENED], { trouble: 'SERVICE_RATE_LIMITED' })],
    expected: ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  },
};

/** Returns a scene that begins on one worker and goes on with another. */
const acrossWorkers = (
  tells: string,
  expected: LiveScene['expected'],
  begin: (stage: LiveStage) => Promise<PaymentSessionHandle>,
  go: (stage: LiveStage, session: PaymentSessionHandle) => Promise<unknown>,
): LiveScene => ({
  tells,
  expected,
  play: async (stage) => {
    const session = await begin(stage);
    await stage.stopWorker();
    await stage.startWorker();
    await go(stage, session);
  },
});

const followed = async ({ open }: LiveStage) => (await open(staysInitiated, RARELY)).session;

/** Scenes of sessions that begin on one worker and end on another. */
const handedOver: Scenes = {
  'handed-over-while-open': acrossWorkers(
    'another worker follows an open session',
    ended([OPENED, COMPLETED]),
    followed,
    async (stage, session) => {
      completes(stage, lastCreated(stage));
      await session.refresh();
    },
  ),
  'handed-over-then-cancelled': acrossWorkers(
    'another worker cancels an open session',
    ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
    followed,
    (_stage, session) => session.cancelAndWait(),
  ),
  'handed-over-while-parked': acrossWorkers(
    'a parked session is resolved on another worker',
    ended([OPENED, COMPLETED], { anomalies: ['possibleOrphan'] }),
    (stage) => park(stage, eft('sandbox-completes')),
    async (_stage, session) => {
      await session.resolveCreate({ retry: true });
      await ends(session);
    },
  ),
  'worker-restarted': {
    tells: 'a worker stops while a burst runs, and another one goes on',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      await stage.stopWorker();
      await stage.startWorker();
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
};

export const runScenes: Scenes = { ...long, ...waiting, ...handedOver };
