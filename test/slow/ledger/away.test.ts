import { createHash, randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { migrate } from '../../../ledger';
import { workflowIdOf, WORKFLOW_TYPE } from '../../../src/protocol/names';
import { readCacheFolder } from '../../../src/settings';
import { park } from '../../support/park';
import { completing, leftOpen, overTheLimit } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { stateOf, until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { createWorld, type WorldOptions } from '../../support/worlds/world';
import { CLAIM } from '../../support/ledger/claim';
import { worldOn } from '../../support/ledger/ledger-world';
import { swept } from '../../support/ledger/swept';
import { openServerRelay } from '../../support/ledger/server-relay';
import { closesLater, connectTo, openLedger, testLedger } from '../../support/ledger/test-ledger';

// A sweep reads all ended sessions of its Temporal server, and records in the ledger what is missing. These tests have their own
// server, because the sessions of other tests would be thousands.
const server = useTemporalServer();
const here = (options: WorldOptions = {}): WorldOptions => ({ ...options, temporalAddress: server.address });

/** Returns a ledger whose PostgreSQL server the test can stop and start. */
async function stoppableLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  closesLater(() => rm(folder, { recursive: true }));
  const options = { folder, cacheFolder: readCacheFolder() };
  let server = await startPostgres(options);
  closesLater(() => server.stop());
  const { url } = server;
  const database = connectTo(url);
  await migrate(database);
  return {
    own: { url, database, ledger: openLedger(url) },
    stop: () => server.stop(),
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    start: async () => {
      server = await startPostgres({ ...options, port: Number(new URL(url).port) });
    },
  };
}

test('while the ledger is unavailable, workers create no sessions, and open sessions go on', async () => {
  const { own, stop, start } = await stoppableLedger();
  const world = await worldOn(own, here());
  const open = await world.sessions.open(world.input(leftOpen()));
  await stop();
  const waiting = await world.sessions.start(world.input(completing()));
  const state = await stateOf(waiting, ({ trouble }) => trouble !== undefined);
  expect(state).toMatchObject({ phase: 'creating', trouble: { code: 'LEDGER_UNAVAILABLE' } });
  world.payor(open.sessionId).completes();
  expect(await open.session.result()).toMatchObject({ paid: true });
  expect(world.creates()).toBe(1);
  await start();
  expect(await waiting.result()).toMatchObject({ paid: true });
  expect((await world.factsOf(waiting)).at(-1)).toMatchObject({ kind: 'ended', paid: true });
  const before = await world.factsOf(open.session);
  expect(before.map(({ kind }) => kind)).toEqual(['claimed', 'opened', 'state']);
  expect(await swept(world, open.session.key)).toMatchObject([{ added: 2 }]);
  expect((await world.factsOf(open.session)).at(-1)).toMatchObject({ kind: 'ended', paid: true });
  expect(await swept(world, open.session.key)).toMatchObject([{ added: 0 }]);
});

/** Returns a parked session. Its ledger has been unavailable since the claim of the key. */
async function parkedWhileAway() {
  const { own, stop, start } = await stoppableLedger();
  const world = await worldOn(own, here());
  const create = world.sandbox.hold('create', 'before');
  const parking = park(world);
  await create.reached;
  await stop();
  create.release();
  return { world, start, ...(await parking) };
}

test('a session that is parked while the ledger is unavailable accepts a decision, and records it in the ledger at its end', async () => {
  const { world, start, session } = await parkedWhileAway();
  await session.resolveCreate({ sessionId: randomUUID() });
  await start();
  expect((await world.factsOf(session)).map(({ kind }) => kind)).toEqual(['claimed']);
  await session.resolveCreate({ abandon: true });
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  const facts = await world.factsOf(session);
  expect(facts.map(({ kind }) => kind)).toEqual([
    'claimed',
    'parked',
    'decision',
    'decision',
    'anomaly',
    'ended',
  ]);
});

test('a session that was parked and ended while the ledger was unavailable is recorded completely by the next sweep', async () => {
  const { world, start, session } = await parkedWhileAway();
  const { parks } = await session.resolveCreate({ abandon: true });
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  await start();
  await swept(world, session.key);
  const facts = await world.factsOf(session);
  expect(facts.map(({ kind }) => kind).toSorted()).toEqual(
    ['claimed', 'parked', 'decision', 'anomaly', 'ended'].toSorted(),
  );
  expect(facts).toContainEqual({ kind: 'parked', number: 1, ...parks?.[0] });
});

test('no session is adopted while the ledger is unavailable, because the ledger may know another key that follows the session', async () => {
  const { world, start, session, lost } = await parkedWhileAway();
  const refused = await session.resolveCreate({ sessionId: lost });
  expect(refused.decisions).toMatchObject([{ decision: 'adopt', result: 'LEDGER_UNAVAILABLE' }]);
  await start();
  await session.resolveCreate({ sessionId: lost });
  world.payor(lost).completes();
  expect(await session.result()).toMatchObject({ paid: true, sessionId: lost });
});

test('if the ledger confirms an adoption too late, the worker repeats the record until it is confirmed', async () => {
  const own = await testLedger();
  const relay = await openServerRelay(own.url);
  const world = await worldOn({ ...own, ledger: openLedger(relay.url) }, here());
  const { session, lost } = await park(world);
  // The entry that the session is parked may be recorded with a delay.
  await until(
    () => own.ledger.entriesOf(session.key),
    (entries) => entries.some(({ fact }) => fact.kind === 'parked'),
  );
  relay.loseNextAnswer();
  const adopted = await session.resolveCreate({ sessionId: lost });
  expect(adopted).toMatchObject({
    phase: 'open',
    sessionId: lost,
    decisions: [{ decision: 'adopt', result: 'applied' }],
  });
  world.payor(lost).completes();
  expect(await session.result()).toMatchObject({ paid: true, sessionId: lost });
  const kinds = (await own.ledger.entriesOf(session.key)).map(({ fact }) => fact.kind);
  expect(kinds.filter((kind) => kind === 'opened')).toHaveLength(1);
});

test('a PostgreSQL server that was killed and started again has all confirmed entries of the ledger, and accepts new ones', async () => {
  const { own, kill, start } = await stoppableLedger();
  const world = await worldOn(own, here());
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
  await kill();
  await start();
  world.payor(sessionId).completes();
  await session.result();
  const facts = await world.factsOf(session);
  expect(facts.map(({ kind }) => kind)).toEqual(['claimed', 'opened', 'state', 'state', 'ended']);
});

test('a sweep records sessions that ended before the ledger was set up, and claims their keys', async () => {
  const { own } = await stoppableLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const input = world.input(completing());
  const session = await world.sessions.start(input);
  await session.result();
  expect(await swept({ ...world, ...own }, input.key)).toEqual([{ key: input.key, added: 5 }]);
  const facts = (await own.ledger.entriesOf(input.key)).map(({ fact }) => fact);
  expect(facts.map(({ kind }) => kind)).toEqual(['claimed', 'opened', 'state', 'state', 'ended']);
});

test('a sweep records that a key became free while the ledger was unavailable, also if the key is in use again', async () => {
  const { own, stop, start } = await stoppableLedger();
  const world = await worldOn(own, here());
  const create = world.sandbox.hold('create', 'before');
  const input = world.input(overTheLimit());
  const refused = await world.sessions.start(input);
  await create.reached;
  await stop();
  create.release();
  await expect(refused.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  await start();
  const fixed = { ...input, request: completing() };
  const early = await world.sessions.start(fixed);
  await expect(early.result()).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
  expect((await swept(world, input.key, 2)).some(({ added }) => added > 0)).toBe(true);
  const again = await world.sessions.start(fixed);
  expect(await again.result()).toMatchObject({ paid: true });
});

test('a sweep records the last state of a terminated session, and the session keeps its key', async () => {
  const { own } = await stoppableLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const input = world.input(leftOpen());
  const { session, sessionId } = await world.sessions.open(input);
  await world.client.workflow.getHandle(session.workflowId).terminate();
  expect(await swept({ ...world, ...own }, input.key)).toEqual([{ key: input.key, added: 3 }]);
  const facts = (await own.ledger.entriesOf(input.key)).map(({ fact }) => fact);
  expect(facts).toMatchObject([{ kind: 'claimed' }, { kind: 'opened', sessionId }, { kind: 'state' }]);
});

test('a sweep does not record the end of a run that was reset', async () => {
  const { ledger } = await testLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const input = { ...world.input(overTheLimit()), policy: { onUnknownCreate: 'park' } } as const;
  const refused = await world.sessions.start(input);
  await expect(refused.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  await resetRun(world.client, refused.workflowId, 0);
  await stateOf(refused, ({ phase }) => phase === 'parked');
  await swept({ ...world, ledger }, input.key);
  const facts = (await ledger.entriesOf(input.key)).map(({ fact }) => fact);
  expect(facts).toMatchObject([{ kind: 'claimed' }]);
});

test('a sweep does not record a cancel that a reset has undone', async () => {
  const { ledger } = await testLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const input = world.input(leftOpen(), { onUnknownCreate: 'park' });
  const { session } = await world.sessions.open(input);
  world.sandbox.failNext('cancel', { kind: 'status', status: 503 }, 1_000);
  await session.cancel();
  await stateOf(session, ({ cancel }) => cancel !== undefined);
  await resetRun(world.client, session.workflowId, 0, { isTold: false });
  await stateOf(session, ({ phase }) => phase === 'parked');
  // A sweep skips a run if no worker answers its query in time.
  await until(
    () => swept({ ...world, ledger }, input.key),
    (runs) => runs.some(({ left }) => left === undefined),
  );
  const kinds = (await ledger.entriesOf(input.key)).map(({ fact }) => fact.kind);
  expect(kinds).toContain('opened');
  expect(kinds).not.toContain('cancel');
});

test('a sweep records nothing about a session that was terminated before a worker ran it', async () => {
  const { ledger } = await testLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const input = world.input(leftOpen());
  const { client } = world;
  const workflow = { workflowId: workflowIdOf(input.key), taskQueue: 'of-no-worker', args: [input] };
  const handle = await client.workflow.start(WORKFLOW_TYPE, workflow);
  await handle.terminate();
  expect(await swept({ client, ledger }, input.key)).toEqual([{ key: input.key, added: 0 }]);
});

test('a sweep goes on after a session that cannot be read', async () => {
  const { own } = await stoppableLedger();
  const secret = createHash('sha256').update('a key that is not here').digest();
  const world = await createWorld(here({ encryption: { current: { id: '2031-05', secret } } }));
  closesLater(() => world.close());
  const input = world.input(completing());
  const session = await world.sessions.start(input);
  await session.result();
  const client = new Client({ connection: world.client.connection });
  const rows = await swept({ ...own, client }, input.key);
  expect(rows).toEqual([{ key: input.key, added: 0, left: 'unreadable' }]);
});

test('a sweep goes on after a session whose encryption key in the ledger cannot be used', async () => {
  const { url, ledger, database } = await testLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const session = await world.sessions.start(world.input(completing()));
  const { key, workflowId } = session;
  await session.result();
  const { runId: firstRunId } = await world.client.workflow.getHandle(workflowId).describe();
  await ledger.claim({ ...CLAIM, key, firstRunId });
  const secret = createHash('sha256').update('a key that wraps none yet').digest();
  const keyed = openLedger(url, { encryption: { current: { id: '2031-05', secret } } });
  expect(await swept({ ...world, ledger: keyed }, key)).toEqual([{ key, added: 0, left: 'unreadable' }]);
  await database.query("update paysession_ledger.session_keys set wrapped = sha256('changed')");
  expect(await swept({ ...world, ledger }, key)).toEqual([{ key, added: 0, left: 'tampered' }]);
});

test('a sweep goes on after a session that the Temporal server drops while the sweep reads it', async () => {
  const { ledger } = await testLedger();
  const world = await createWorld(here());
  closesLater(() => world.close());
  const session = await world.sessions.start(world.input(completing()));
  await session.result();
  const { workflowService } = world.client;
  // The server would take half a minute to drop a session. Instead, this requests a run that the server does not have.
  const readHistory = ({ execution, ...request }: { readonly execution: { readonly workflowId: string } }) =>
    workflowService.getWorkflowExecutionHistory({
      ...request,
      execution:
        execution.workflowId === session.workflowId ? { ...execution, runId: randomUUID() } : execution,
    });
  const dropping = new Proxy(workflowService, {
    get: (service, name) =>
      name === 'getWorkflowExecutionHistory' ? readHistory : (Reflect.get(service, name) as unknown),
  });
  const client = Object.create(world.client, { workflowService: { value: dropping } }) as Client;
  expect(await swept({ client, ledger }, session.key)).toEqual([{ key: session.key, added: 0 }]);
});
