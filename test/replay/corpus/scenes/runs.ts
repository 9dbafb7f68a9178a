import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { PaymentSessionHandle } from '../../../../src';
import { eft } from '../../../support/requests';
import { until } from '../../../support/wait';
import { ALWAYS, completes, ends, lastCreated, park, RARELY } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED, stays } from '../ending';
import type { LiveScene, LiveStage, Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');
const OLD = join(__dirname, '..', '..', 'bundles', '0.1.0.js.br');

const runIdOf = async ({ client }: LiveStage, session: PaymentSessionHandle) =>
  (await client.workflow.getHandle(session.workflowId).describe()).runId;

/** Waits until the session has gone on in a new run. */
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

/** Sessions that continue as new. */
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

/** Plays the beginning on a worker of the first version, the rest on one of this version. */
const acrossVersions = (
  tells: string,
  expected: LiveScene['expected'],
  begin: (stage: LiveStage) => Promise<PaymentSessionHandle>,
  go: (stage: LiveStage, session: PaymentSessionHandle) => Promise<unknown>,
): LiveScene => ({
  tells,
  expected,
  play: async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-old-'));
    try {
      const bundlePath = join(folder, 'bundle.js');
      await writeFile(bundlePath, await promisify(brotliDecompress)(await readFile(OLD)));
      await stage.stopWorker();
      await stage.startWorker({ bundlePath });
      const session = await begin(stage);
      await stage.stopWorker();
      await stage.startWorker();
      await go(stage, session);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

const followed = async ({ open }: LiveStage) => (await open(staysInitiated, RARELY)).session;

/** Sessions that begin on an earlier version and end on this one. */
const upgraded: Scenes = {
  'upgraded-while-open': acrossVersions(
    'an open session of an earlier version goes on with this one',
    ended([OPENED, COMPLETED]),
    followed,
    async (stage, session) => {
      completes(stage, lastCreated(stage));
      await session.refresh();
    },
  ),
  'upgraded-then-cancelled': acrossVersions(
    'an open session of an earlier version is cancelled by this one',
    ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
    followed,
    (_stage, session) => session.cancelAndWait(),
  ),
  'upgraded-while-parked': acrossVersions(
    'a parked session of an earlier version is resolved on this one',
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

export const runScenes: Scenes = { ...long, ...upgraded };
