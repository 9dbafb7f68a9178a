import { describe, expect, test } from '@jest/globals';
import type { PaymentSessionHandle } from '../../../src';
import { ledgerWorld, type LedgerWorld } from '../../support/ledger/ledger-world';
import { swept } from '../../support/ledger/swept';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';

/** A Temporal server that suggests to continue as new after forty events, and deletes a run soon after it was requested. */
const temporal = useTemporalServer({
  'limit.historyCount.suggestContinueAsNew': '40',
  'history.transferProcessorUpdateAckInterval': '"100ms"',
});

/** Makes a session continue as new, and deletes its first run in Temporal, as Temporal does after the retention time. */
async function loseFirstRun({ client }: LedgerWorld, session: PaymentSessionHandle): Promise<void> {
  const { workflowId } = session;
  const newest = async () => (await client.workflow.getHandle(workflowId).describe()).runId;
  const runId = await newest();
  await until(
    async () => {
      await session.refresh();
      return newest();
    },
    (now) => now !== runId,
  );
  const { namespace } = client.options;
  await client.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
  });
  const first = client.workflow.getHandle(workflowId, runId);
  await until(
    () =>
      first.describe().then(
        () => 'there',
        () => 'gone',
      ),
    (is) => is === 'gone',
  );
}

async function loseEntries({ database }: LedgerWorld): Promise<void> {
  for (const table of ['entries', 'session_keys', 'claims', 'unsequenced']) {
    await database.query(`alter table paysession_ledger.${table} disable trigger user`);
    await database.query(`delete from paysession_ledger.${table}`);
  }
}

describe('a session that has continued as new, and whose first run Temporal has dropped,', () => {
  test('is claimed again at its end if the ledger has lost its claim', async () => {
    const world = await ledgerWorld({ temporalAddress: temporal.address });
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await loseFirstRun(world, session);
    await loseEntries(world);
    world.payor(sessionId).completes();
    await session.result();
    const facts = await until(
      () => world.factsOf(session),
      (known) => known.some(({ kind }) => kind === 'ended'),
    );
    expect(facts[0]).toMatchObject({ kind: 'claimed' });
    expect(facts).toContainEqual(expect.objectContaining({ kind: 'ended', paid: true }));
  });

  test('is recorded by a sweep if it ended without a ledger', async () => {
    const world = await ledgerWorld({ temporalAddress: temporal.address });
    await world.stopWorker();
    await world.startWorker({ hasLedger: false });
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await loseFirstRun(world, session);
    world.payor(sessionId).completes();
    await session.result();
    await swept(world, session.key);
    expect((await world.factsOf(session)).map(({ kind }) => kind)).toEqual([
      'claimed',
      'opened',
      'state',
      'state',
      'ended',
    ]);
  });
});
