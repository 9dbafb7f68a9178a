import { afterEach, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { PaymentSessions } from '../../../src';
import { leftOpen } from '../../support/requests';
import { globalValue } from '../../support/setup/global-values';
import { until } from '../../support/wait';
import { connectTemporal } from '../../../src/settings';
import { openLine } from '../../support/worlds/line';
import { useWorld } from '../../support/worlds/use-world';
import type { World } from '../../support/worlds/world';
import { consoleOf, look, pathOf, plain } from './support';

interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly atMs: number;
}

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The live events of a session's page, as a browser gets them. */
async function listen(
  world: Pick<World, 'client' | 'sessions' | 'taskQueue'>,
  key: string,
): Promise<readonly ServerEvent[]> {
  const app: FastifyInstance = consoleOf(world).app;
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  const leaving = new AbortController();
  closing.push(() => {
    leaving.abort();
    return Promise.resolve();
  });
  const answer = await fetch(`${url}${pathOf(key, '/events')}`, {
    headers: { accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events: ServerEvent[] = [];
  void readEvents(answer, events).catch(() => undefined);
  return events;
}

async function readEvents({ body }: Response, events: ServerEvent[]): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split('\n');
      const of = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      events.push({ event: of('event')[0] ?? '', data: of('data').join('\n'), atMs: Date.now() });
    }
  }
}

/** Looks at something that is at hand. */
const now =
  <T>(look: () => T) =>
  () =>
    Promise.resolve(look());

const heard = (events: readonly ServerEvent[], event: string, text = '') =>
  until(
    now(() => events.findLast((each) => each.event === event && plain(each.data).includes(text))),
    (found) => found !== undefined,
  );

describe('the live page of a session', () => {
  const world = useWorld();

  test('comes at once, and again when the session changes, with nothing personal in it', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const events = await listen(world, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    world.payor(sessionId).completes();
    await heard(events, 'fragment', 'The payor has done their part');
    expect(JSON.stringify(events)).not.toMatch(/Tremblay|example\.com/);
    await heard(events, 'beat');
  });

  test('does not come again while nothing changes', async () => {
    const { session } = await world.sessions.open(
      world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    const events = await listen(world, session.key);
    await heard(events, 'fragment');
    await until(
      now(() => events.filter(({ event }) => event === 'beat').length),
      (beats) => beats >= 2,
    );
    // On a busy machine the engine or the worker may seem lost for a moment: that is a change.
    const shown = events.filter(({ event }) => event === 'fragment').map(({ data }) => data);
    const repeated = shown.filter((data, index) => data === shown[index - 1]);
    expect(repeated).toEqual([]);
    await session.cancelAndWait();
  });

  test('tells of a lost worker within five seconds, and mends by itself', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const events = await listen(world, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    await world.stopWorker();
    const goneAtMs = Date.now();
    const lost = await heard(events, 'workerLost');
    expect((lost?.atMs ?? Infinity) - goneAtMs).toBeLessThan(5_000);
    await heard(events, 'fragment', 'No worker answers');
    await world.startWorker();
    const backAtMs = Date.now();
    await until(
      now(() => events.findLast(({ event }) => event === 'back')),
      (back) => (back?.atMs ?? 0) > backAtMs,
    );
    expect(plain((await heard(events, 'fragment'))?.data ?? '')).toContain('The payor can pay');
    await session.cancelAndWait();
  });
});

describe('the live page of a session whose engine is lost', () => {
  const world = useWorld();

  test('says so within five seconds, shows what was known, and mends by itself', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const line = await openLine(globalValue('PAYSESSION_TEST_ENGINE'));
    closing.push(() => line.cut());
    const { connection } = await connectTemporal({
      connection: { address: line.address },
      namespace: 'default',
    });
    closing.push(() => connection.close());
    const client = new Client({ connection });
    const { taskQueue } = world;
    const far = { client, taskQueue, sessions: new PaymentSessions(client, { taskQueue }) };
    const events = await listen(far, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    const goneAtMs = Date.now();
    await line.cut();
    const lost = await heard(events, 'engineLost');
    expect((lost?.atMs ?? Infinity) - goneAtMs).toBeLessThan(5_000);
    const shown = plain((await heard(events, 'fragment', 'The Temporal server does not answer'))?.data ?? '');
    expect(shown).toContain('Last known state:');
    expect(shown).toContain('The payor can pay');
    const { app } = consoleOf(far);
    const fresh = await look(app, pathOf(session.key));
    expect(fresh.statusCode).toBe(200);
    expect(fresh.text).toContain('The Temporal server does not answer');
    const mendedAtMs = Date.now();
    await line.mend();
    await until(
      now(() => events.findLast(({ event }) => event === 'back')),
      (back) => (back?.atMs ?? 0) > mendedAtMs,
    );
    await session.cancelAndWait();
  });
});
