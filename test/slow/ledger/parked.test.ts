import { describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { PaymentSessionHandle } from '../../../src';
import { replayHistories } from '../../../testkit';
import { park } from '../../support/park';
import { resetRun } from '../../support/reset-run';
import { WORKFLOW_ID_PREFIX } from '../../../src/protocol/names';
import { testBundle } from '../../support/setup/global-values';
import { stateOf, until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { ledgerWorld, type LedgerWorld } from '../../support/ledger/ledger-world';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

const { WorkflowTaskFailedCause } = temporal.api.enums.v1;

/** A Temporal server that suggests to continue as new after forty events. */
const server = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '40' });

/** Returns a short text for each entry about a session’s parks and decisions. */
async function parkingOf(world: LedgerWorld, session: PaymentSessionHandle): Promise<readonly string[]> {
  const facts = await world.factsOf(session);
  return facts.flatMap((fact) => {
    if (fact.kind === 'parked') return [`parked ${fact.number}`];
    return fact.kind === 'decision' ? [`${fact.decision} ${fact.number}: ${fact.result}`] : [];
  });
}

test('the ledger records that a session is parked and each decision once and at once, also if the session continues as new', async () => {
  const world = await ledgerWorld({ temporalAddress: server.address });
  const { session } = await park(world);
  const runId = async () => (await world.client.workflow.getHandle(session.workflowId).describe()).runId;
  const firstRun = await runId();
  const told = ['parked 1'];
  expect(await parkingOf(world, session)).toEqual(told);
  while ((await runId()) === firstRun) {
    await session.resolveCreate({ sessionId: randomUUID(), by: 'avery' });
    told.push(`adopt ${told.length}: SERVICE_SESSION_UNKNOWN`);
    expect(await parkingOf(world, session)).toEqual(told);
  }
  expect((await world.factsOf(session)).at(-1)).toMatchObject({ kind: 'decision', by: 'avery' });
  world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
  await session.resolveCreate({ retry: true });
  await stateOf(session, ({ phase, decisions }) => phase === 'parked' && decisions.length === told.length);
  told.push(`retry ${told.length}: applied`, 'parked 2');
  expect(await parkingOf(world, session)).toEqual(told);
  await session.resolveCreate({ abandon: true });
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  told.push(`abandon ${told.length - 1}: applied`);
  expect(await parkingOf(world, session)).toEqual(told);
  const history = await fetchHistory(world.client, session.key);
  const { divergences } = await replayHistories([{ name: session.key, history }], {
    bundlePath: testBundle(),
  });
  expect(divergences).toEqual([]);
});

test('if a reset to before the create request parks a session again, the ledger records the second park and its decision', async () => {
  const world = await ledgerWorld();
  const { session } = await park(world);
  const sessionId = randomUUID();
  const adopt = () => session.resolveCreate({ sessionId }, { requestId: 'adopt-once' });
  await adopt();
  const told = ['parked 1', 'adopt 1: SERVICE_SESSION_UNKNOWN'];
  expect(await parkingOf(world, session)).toEqual(told);
  await until(
    () => resetRun(world.client, session.workflowId, 0, { isTold: false }),
    (isDone) => isDone,
  );
  await until(
    () => parkingOf(world, session),
    (parking) => parking.length > told.length,
  );
  await adopt();
  expect(await parkingOf(world, session)).toEqual([...told, ...told]);
  await session.resolveCreate({ abandon: true });
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  const facts = await world.factsOf(session);
  expect(facts.at(-1)).toMatchObject({ failure: 'CREATE_ABANDONED' });
  // There is one claim: the runs before and after the reset belong to the same workflow.
  expect(facts.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
});

describe('with a Temporal server that soon suggests to continue as new', () => {
  const hasty = useTemporalServer({ 'limit.historyCount.suggestContinueAsNew': '6' });

  test('the ledger records a park once if the workflow task that reported it is repeated', async () => {
    const world = await ledgerWorld({ temporalAddress: hasty.address });
    const { workflow } = world.client;
    const record = world.ledger.record.bind(world.ledger);
    let firstRun: WorkflowHandle | undefined;
    jest.spyOn(world.ledger, 'record').mockImplementation(async (claim, facts) => {
      const added = await record(claim, facts);
      if (firstRun !== undefined || !facts.some(({ kind }) => kind === 'parked')) return added;
      // Temporal refuses a workflow task that ends a run if a new event has arrived during the task. So this sends a signal.
      firstRun = workflow.getHandle(`${WORKFLOW_ID_PREFIX}${claim.key}`, claim.firstRunId);
      await firstRun.signal('anything');
      return added;
    });
    const { session } = await park(world);
    const history = await firstRun?.fetchHistory();
    expect(history?.events?.map((event) => event.workflowTaskFailedEventAttributes?.cause)).toContain(
      WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
    );
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    expect(await parkingOf(world, session)).toEqual(['parked 1', 'abandon 1: applied']);
  });

  test('the ledger records a decision once if the repeated workflow task handles another decision first', async () => {
    const world = await ledgerWorld({ temporalAddress: hasty.address });
    const { session } = await park(world);
    const record = world.ledger.record.bind(world.ledger);
    jest.spyOn(world.ledger, 'record').mockImplementationOnce(async (claim, facts) => {
      const added = await record(claim, facts);
      // Because of this cancel, Temporal refuses the workflow task. In the repeated task, the cancel comes before the decision.
      await session.cancel({ by: 'robin' });
      return added;
    });
    const { decisions } = await session.resolveCreate({ sessionId: randomUUID(), by: 'avery' });
    expect(decisions.map((one) => [one.decision, typeof one.id])).toEqual([
      ['cancel', 'undefined'],
      ['adopt', 'string'],
    ]);
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    expect(await parkingOf(world, session)).toEqual([
      'parked 1',
      'adopt 1: SERVICE_SESSION_UNKNOWN',
      'cancel 1: CREATE_ABANDONED',
      'abandon 3: applied',
    ]);
    const told = await world.factsOf(session);
    expect(new Set(told.flatMap((fact) => (fact.kind === 'decision' ? [fact.id] : []))).size).toBe(3);
  });
});
