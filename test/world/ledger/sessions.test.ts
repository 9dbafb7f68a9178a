import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessionHandle } from '../../../src';
import { replayHistories } from '../../../testkit';
import { endCreate } from '../../support/lost-create';
import { completing, leftOpen, leftUnsigned, overTheLimit } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { testBundle } from '../../support/setup/global-values';
import { stateOf, until } from '../../support/wait';
import { ledgerWorld, type LedgerWorld } from '../../support/ledger/ledger-world';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

/** Longer than Temporal takes to report an end to a caller, and shorter than the time for which a session waits for its ledger. */
const SLOW_MS = 400;

afterEach(() => {
  jest.restoreAllMocks();
});

const kindsOf = (facts: readonly { readonly kind: string }[]) => facts.map(({ kind }) => kind);

/** Returns the inputs of the activities with which the workflow asked workers for the recorded answer to a lost create request. */
async function inputsOfLookUpCreate(
  { client }: LedgerWorld,
  { key }: PaymentSessionHandle,
): Promise<unknown[]> {
  const { events } = await fetchHistory(client, key);
  return (events ?? [])
    .map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)
    .filter((scheduled) => scheduled?.activityType?.name === 'lookUpCreate')
    .map((scheduled) => JSON.parse(String(scheduled?.input?.payloads?.[0]?.data)) as unknown);
}

describe('the ledger records a session', () => {
  test('from the claim to the end, with one entry for each fact, and each state before the workflow reports it', async () => {
    const world = await ledgerWorld();
    const { session, sessionId } = await world.sessions.open(world.input(leftUnsigned()));
    await stateOf(session, ({ code }) => code === 'EFT0302');
    const soon = await world.factsOf(session);
    expect(kindsOf(soon)).toEqual(['claimed', 'opened', 'state', 'state']);
    expect(soon[3]).toMatchObject({ status: 'Completed', code: 'EFT0302', number: 2, source: 'poll' });
    world.payor(sessionId).signsPad();
    const result = await session.result();
    const facts = await world.factsOf(session);
    expect(kindsOf(facts)).toEqual(['claimed', 'opened', 'state', 'state', 'state', 'ended']);
    expect(facts[1]).toMatchObject({ sessionId, how: 'create' });
    expect(facts.slice(2, 5).map((fact) => 'code' in fact && fact.code)).toEqual([
      'EFT0101',
      'EFT0302',
      'EFT0301',
    ]);
    expect(facts.at(-1)).toMatchObject({ paid: true, status: 'Completed', leftNothing: false, result });
  });

  test('with who cancelled it and why', async () => {
    const world = await ledgerWorld();
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await session.cancelAndWait({ by: 'ann', reason: 'asked by phone' });
    await session.result();
    const facts = await world.factsOf(session);
    expect(facts).toContainEqual(
      expect.objectContaining({ kind: 'decision', by: 'ann', reason: 'asked by phone', result: 'cancelled' }),
    );
    expect(facts).toContainEqual(
      expect.objectContaining({ kind: 'cancel', by: 'caller', outcome: 'cancelled' }),
    );
  });

  test('to its end before a caller receives the result', async () => {
    const world = await ledgerWorld();
    let isRecorded = false;
    const record = world.ledger.record.bind(world.ledger);
    jest.spyOn(world.ledger, 'record').mockImplementation(async (claim, facts) => {
      if (!facts.some(({ kind }) => kind === 'ended')) return record(claim, facts);
      await sleep(SLOW_MS);
      isRecorded = true;
      return 1;
    });
    await (await world.sessions.start(world.input(completing()))).result();
    expect(isRecorded).toBe(true);
  });

  test('without a marker event in the workflow’s history, and the history replays', async () => {
    const world = await ledgerWorld();
    const session = await world.sessions.start(world.input(completing()));
    await session.result();
    const history = await fetchHistory(world.client, session.key);
    const marks = history.events?.filter(({ markerRecordedEventAttributes: mark }) => mark != null);
    expect(marks).toEqual([]);
    const replayed = await replayHistories([{ name: session.key, history }], { bundlePath: testBundle() });
    expect(replayed.divergences).toEqual([]);
  });

  test('that the service rejects, with its failure, and the key is free for another request', async () => {
    const world = await ledgerWorld();
    const input = world.input(overTheLimit());
    const refused = await world.sessions.start(input);
    await expect(refused.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    const facts = await world.factsOf(refused);
    expect(facts.at(-1)).toMatchObject({ failure: 'SERVICE_REQUEST_REJECTED', leftNothing: true });
    const fixed = await world.sessions.start({ ...input, request: completing() });
    expect(await fixed.result()).toMatchObject({ paid: true });
  });
});

describe('with a ledger, a session whose create request is lost', () => {
  // The operator resets the workflow to a point before its create request. The ledger still has the answer to that request.
  test('goes on with the answer in the ledger if the workflow is reset to before the create request', async () => {
    const world = await ledgerWorld();
    const { session, sessionId } = await world.sessions.open(
      world.input(leftOpen(), { onUnknownCreate: 'park' }),
    );
    await until(
      () => resetRun(world.client, session.workflowId, 0),
      (isDone) => isDone,
    );
    const state = await stateOf(session, ({ phase }) => phase !== 'creating');
    expect(state).toMatchObject({ phase: 'open', sessionId, anomalies: [] });
    expect(world.creates()).toBe(1);
  });

  test('still counts its lost create requests after the workflow is reset to before them', async () => {
    const world = await ledgerWorld();
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const { session, sessionId } = await world.sessions.open(
      world.input(leftOpen(), { onUnknownCreate: 'retry' }),
    );
    await until(
      () => resetRun(world.client, session.workflowId, 0),
      (isDone) => isDone,
    );
    const state = await stateOf(session, ({ phase }) => phase !== 'creating');
    expect(state).toMatchObject({ phase: 'open', sessionId, anomalies: [{ kind: 'possibleOrphan' }] });
    expect(world.creates()).toBe(2);
  });

  test('goes on with the first answer if that answer arrives after Temporal has timed out the create activity', async () => {
    const world = await ledgerWorld();
    const openedLate = async () => {
      const before = world.creates();
      const create = world.sandbox.hold('create', 'after');
      const session = await world.sessions.start(world.input(leftOpen(), { onUnknownCreate: 'retry' }));
      await create.reached;
      await endCreate(world.client, session.workflowId);
      await stateOf(session, ({ anomalies }) => anomalies.length > 0);
      create.release();
      const state = await stateOf(session, ({ phase }) => phase === 'open');
      return { session, state, creates: world.creates() - before };
    };
    // On a busy machine, the workflow may send a second create request before the first answer arrives. Then the test repeats it.
    let late = await openedLate();
    while (late.creates > 1) late = await openedLate();
    const { session, state } = late;
    expect(kindsOf(await world.factsOf(session))).toEqual(['claimed', 'opened', 'state']);
    expect(state.sessionId).toBeDefined();
    // With `isClaimed`, a worker without a ledger leaves this activity to another worker.
    expect(await inputsOfLookUpCreate(world, session)).toMatchObject([{ isClaimed: true }]);
  });
});
