import { describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { PaymentSessions, SEARCH_ATTRIBUTES, type PaymentSessionInput } from '../../../src';
import { startTemporalServer } from '../../../src/temporal-server';
import { searchSessions } from '../../../src/sessions/list/search';
import { park } from '../../support/park';
import { completing, eTransfer, leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';
import type { World } from '../../support/worlds/world';
import { ensureSearchAttributes } from '../../../worker/create-worker';

type Fields = Readonly<Record<string, { readonly data?: Uint8Array | null }>>;
type Attributes = Readonly<Record<string, unknown>>;

/** Returns the search attributes at a session’s start, and the workflow’s later changes to them. */
async function attributesIn(world: World, workflowId: string) {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  const read = (fields: Fields | null | undefined): Attributes =>
    Object.fromEntries(
      Object.entries(fields ?? {}).map(([name, { data }]) => [
        name,
        JSON.parse(Buffer.from(data ?? []).toString()) as unknown,
      ]),
    );
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const upserts = (events ?? []).flatMap((event) => {
    const upsert = event.upsertWorkflowSearchAttributesEventAttributes;
    const { TemporalChangeVersion: patch, ...changed } = read(upsert?.searchAttributes?.indexedFields);
    // Leaves out the upserts with which Temporal’s SDK records a workflow’s patches.
    return upsert == null || (patch !== undefined && Object.keys(changed).length === 0) ? [] : [changed];
  });
  return { atStart: read(started?.searchAttributes?.indexedFields), changes: upserts };
}

/** Starts a session as another SDK would. */
const startPlainly = (world: World, input: PaymentSessionInput, attributes: Attributes = {}) =>
  world.client.workflow.start('paymentSession', {
    workflowId: `payment-session/${input.key}`,
    taskQueue: world.taskQueue,
    args: [input],
    typedSearchAttributes: Object.entries(attributes).map(([name, value]) => ({
      key: { name, type: 'KEYWORD' as const },
      value: String(value),
    })),
  });

const {
  INDEXED_VALUE_TYPE_KEYWORD: KEYWORD,
  INDEXED_VALUE_TYPE_KEYWORD_LIST: KEYWORD_LIST,
  INDEXED_VALUE_TYPE_INT: INT,
} = temporal.api.enums.v1.IndexedValueType;
const { kind, reference, status, code, phase, problem, account, shortId, changeDelay } = SEARCH_ATTRIBUTES;

describe('the search attributes of a session', () => {
  const world = useWorld();

  test('are set from the input at the start, and the workflow only adds changes of the state', async () => {
    const session = await world.sessions.start(world.input(completing(eTransfer)));
    const { stateHistory, sessionId = '' } = await session.result();
    const { atStart, changes } = await attributesIn(world, session.workflowId);
    expect(atStart).toEqual({
      [kind]: 'e-Transfer',
      [account]: 'default',
      [reference]: 'sandbox-completes',
      [phase]: 'creating',
    });
    expect(changes).toEqual(
      stateHistory.map((state) => ({
        [status]: state.status,
        [phase]: state.status === 'Initiated' ? 'open' : 'ended',
        // Only the first characters of the id are indexed: the whole id would open the payor’s page.
        ...(state.status === 'Initiated' && { [shortId]: sessionId.slice(0, 8) }),
        ...(state.status === 'Completed' && { [changeDelay]: expect.any(Number) }),
      })),
    );
  });

  test('have the longest possible delay between the payment’s end and the poll that saw it', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    world.payor(sessionId).completes();
    await session.result();
    const { session: other } = await world.sessions.open(world.input(leftOpen()));
    await other.cancelAndWait();
    const delayOf = async (key: string) => {
      const ended = await until(
        async () => (await searchSessions(world.client, key))[0],
        (found) => found?.running === false,
      );
      return ended?.changeDelayMs;
    };
    expect(await delayOf(session.key)).toBeGreaterThanOrEqual(0);
    expect(await delayOf(other.key)).toBeUndefined();
  });

  test('are completed by the workflow if the starter left some out', async () => {
    const input = world.input(leftOpen());
    const { workflowId } = await startPlainly(world, input);
    await world.sessions.get(input.key).opened();
    const { atStart, changes } = await attributesIn(world, workflowId);
    expect(atStart).toEqual({});
    expect(changes[0]).toEqual({
      [kind]: 'EFT',
      [account]: 'default',
      [reference]: 'sandbox-stays-initiated',
      [phase]: 'creating',
    });
    await world.sessions.get(input.key).cancelAndWait();
  });

  test('never contain a reference that the policy excludes', async () => {
    const hidden = world.input(leftOpen(), { indexReference: false });
    const { session } = await world.sessions.open(hidden);
    expect((await attributesIn(world, session.workflowId)).atStart).toEqual({
      [kind]: 'EFT',
      [account]: 'default',
      [phase]: 'creating',
    });
    const told = world.input(leftOpen(), { indexReference: false });
    const attributes = { [kind]: 'EFT', [account]: 'default', [reference]: 'told', [phase]: 'creating' };
    const { workflowId } = await startPlainly(world, told, attributes);
    await world.sessions.get(told.key).opened();
    expect((await attributesIn(world, workflowId)).changes[0]).toEqual({ [reference]: null });
    await Promise.all([session.cancelAndWait(), world.sessions.get(told.key).cancelAndWait()]);
  });
});

describe('the search attribute for a session’s problems', () => {
  const world = useWorld();
  const changesOf = async (workflowId: string) => (await attributesIn(world, workflowId)).changes;

  test('has a problem as long as it lasts, and changes together with the state in one upsert', async () => {
    const { session, lost: sessionId } = await park(world);
    await session.resolveCreate({ sessionId });
    await session.cancelAndWait();
    expect(await changesOf(session.workflowId)).toEqual([
      { [phase]: 'parked', [problem]: ['parked'] },
      {
        ...{ [status]: 'Initiated', [code]: 'EFT0101', [shortId]: sessionId.slice(0, 8) },
        ...{ [phase]: 'open', [problem]: null },
      },
      { [status]: 'Cancelled', [code]: 'EFT0501', [phase]: 'ended' },
    ]);
  });

  test('keeps a problem that an operator has to check after the end', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ retry: true });
    await session.opened();
    await session.cancelAndWait();
    const changes = await changesOf(session.workflowId);
    expect(changes.map((change) => change[problem])).toEqual([
      ['parked'],
      ['possibleOrphan'],
      undefined,
      undefined,
    ]);
  });

  test('has the error code with which a session failed', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ abandon: true });
    await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    expect((await changesOf(session.workflowId)).at(-1)).toEqual({
      [phase]: 'ended',
      [problem]: ['possibleOrphan', 'CREATE_ABANDONED'],
    });
    const { workflowId } = await startPlainly(world, { ...world.input(leftOpen()), request: 1 as never });
    await until(
      () => changesOf(workflowId),
      (changes) =>
        JSON.stringify(changes) === JSON.stringify([{ [phase]: 'ended', [problem]: ['INVALID_INPUT'] }]),
    );
  });

  test('has failing calls after five failures in a row, until a call succeeds', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    world.sandbox.failNext('details', { kind: 'status', status: 500 }, 6);
    await until(
      () => changesOf(session.workflowId),
      (changes) => changes.length === 3,
    );
    world.payor(sessionId).completes();
    await session.result();
    const [, failing, healed] = await changesOf(session.workflowId);
    expect([failing, healed]).toEqual([
      { [problem]: ['serviceFailing'] },
      expect.objectContaining({ [problem]: null }),
    ]);
  });

  test('does not have an unsettled cancel: the phase shows it as cancelling', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    world.sandbox.failNext('cancel', { kind: 'status', status: 400 }, 3);
    await session.cancelAndWait();
    expect((await changesOf(session.workflowId)).map((change) => change[phase])).toEqual([
      'open',
      'cancelling',
      'ended',
    ]);
  });
});

describe('a status or code of the service', () => {
  const world = useWorld();

  test('is a search attribute only if it looks like a status or code, because the service may send any text', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const report = async (status: string, statusDetails: string) => {
      const body = JSON.stringify({ status, statusDetails });
      world.sandbox.clearFaults();
      world.sandbox.failNext(
        'details',
        { kind: 'status', status: 200, body, contentType: 'application/json' },
        1_000,
      );
      await stateOf(session, (state) => state.status === status);
    };
    await report('Pending2', 'Jane Doe');
    await report('Held for Jane Doe, 12 Main St', 'X'.repeat(33));
    const changes = (await attributesIn(world, session.workflowId)).changes.slice(1);
    expect(changes.map((change) => [change[status], change[code]])).toEqual([
      ['Pending2', 'unreadable'],
      ['unreadable', undefined],
    ]);
    world.sandbox.clearFaults();
    await session.cancelAndWait();
  });
});

describe('in a namespace that lacks some search attributes', () => {
  const temporal = use(
    () =>
      startTemporalServer({
        executable: process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'] ?? '',
        searchAttributes: [status, code, kind, reference],
      }),
    (started) => started.stop(),
  );
  test('a worker adds the missing search attributes with their types', async () => {
    const connection = await NativeConnection.connect({ address: temporal.address });
    try {
      await ensureSearchAttributes(connection, 'default');
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace: 'default',
      });
      expect(customAttributes).toMatchObject({
        [phase]: KEYWORD,
        [problem]: KEYWORD_LIST,
        [changeDelay]: INT,
      });
    } finally {
      await connection.close();
    }
  });
});

describe('in a namespace that no worker has served yet', () => {
  const temporal = use(
    () => startTemporalServer({ executable: process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'] ?? '' }),
    (started) => started.stop(),
  );

  test('`start` and `open` can still start a session', async () => {
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const sessions = new PaymentSessions(new Client({ connection }), { openTimeoutMs: 500 });
      const started = await sessions.start({ key: 'first', request: leftOpen() });
      expect(started.workflowId).toBe('payment-session/first');
      const opening = sessions.open({ key: 'second', request: leftOpen() });
      await expect(opening).rejects.toMatchObject({ code: 'SESSION_STILL_OPENING' });
    } finally {
      await connection.close();
    }
  });
});
