import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import fastify from 'fastify';
import type { Reader } from '../../../console/access/reader';
import { Live, type Reach, type Shown } from '../../../console/reading/live';
import { html } from '../../../src/web/html';
import { until } from '../../support/wait';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// The console sends changes of its pages to browsers by server-sent events. A topic is what one stream shows, such as one session.

/** Serves the topics that `shownOf` returns. `listen` opens a stream of a topic. `heard` returns the events of the streams so far. */
async function serve(shownOf: (topic: string) => Shown, renewedAfterMs?: number) {
  const live = new Live(renewedAfterMs);
  const app = fastify({ forceCloseConnections: true });
  app.get('/:topic', (request, reply) => {
    const { topic } = request.params as { readonly topic: string };
    const { as: name = 'robin' } = request.query as { readonly as?: string };
    request.reader = { operator: { name, role: 'viewer' }, loginId: `${name} ${randomUUID()}` } as Reader;
    return live.send(request, reply, topic, shownOf(topic));
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  closing.push(() => {
    live.close();
    return Promise.resolve();
  });
  const listen = async (topic: string) => {
    const leaving = new AbortController();
    const { body, status } = await fetch(`${url}/${topic}`, { signal: leaving.signal });
    let heard = '';
    const reading = (async () => {
      for await (const chunk of body ?? []) heard += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => undefined);
    const leave = () => {
      leaving.abort();
      return reading;
    };
    closing.push(leave);
    return { status, leave, heard: () => heard };
  };
  return { live, listen };
}

const untilTrue = <T>(look: () => T) => until(() => Promise.resolve(look()), Boolean);

test('the console reads a topic once for all its viewers, and not at all without viewers', async () => {
  let [rendered, reached] = [0, 0];
  const { live, listen } = await serve(() => ({
    render: () => Promise.resolve(html`look ${(rendered += 1)}`),
    reach: () => Promise.resolve((reached += 1) > 0 ? 'back' : 'temporalLost'),
  }));
  const viewers = [await listen('one'), await listen('one'), await listen('one')];
  await untilTrue(() => viewers.every(({ heard }) => heard().includes('data: look 2')));
  expect(live.size).toBe(1);
  // Rendering and checking the server are separate loops. One may be a step ahead of the other.
  expect(Math.abs(rendered - reached)).toBeLessThanOrEqual(1);
  await Promise.all(viewers.map(({ leave }) => leave()));
  await untilTrue(() => live.size === 0);
});

test('the console reports a lost worker to the viewers of each topic, and to later viewers', async () => {
  const reaches: Record<string, Reach> = { one: 'workerLost', two: 'back' };
  const { listen } = await serve((topic) => ({
    render: () => Promise.resolve(undefined),
    reach: () => Promise.resolve(reaches[topic] ?? 'temporalLost'),
  }));
  const [one, two] = [await listen('one'), await listen('two')];
  await untilTrue(() => one.heard().includes('event: workerLost') && two.heard().includes('event: back'));
  expect(two.heard()).not.toContain('Lost');
  const late = await listen('one');
  await untilTrue(() => late.heard().includes('event: workerLost'));
  reaches['one'] = 'back';
  await untilTrue(() => late.heard().lastIndexOf('event: back') > late.heard().indexOf('event: workerLost'));
  expect(one.heard()).not.toContain('event: fragment');
});

test('the console repeats a failed read of a topic, and sends no event for it', async () => {
  let reads = 0;
  const fail = () => Promise.reject(new Error('not now'));
  const { listen } = await serve(() => ({
    render: () => ((reads += 1) === 2 ? fail() : Promise.resolve(html`look ${reads}`)),
    reach: () => (reads === 2 ? fail() : Promise.resolve('back')),
  }));
  const viewer = await listen('one');
  await untilTrue(() => viewer.heard().includes('data: look 3'));
  expect(viewer.heard()).not.toMatch(/look 2|Lost/);
});

const nothing = (): Shown => ({
  render: () => Promise.resolve(undefined),
  reach: () => Promise.resolve('back'),
});

test('the console ends each stream after a while, so that the browser requests it again and access is checked again', async () => {
  const { listen } = await serve(nothing, 50);
  const viewer = await listen('one');
  await untilTrue(() => viewer.heard().endsWith('retry: 500\nevent: renew\ndata: \n\n'));
});

test('one person may follow 20 topics over all logins, and all people together 100 topics', async () => {
  const { live, listen } = await serve(nothing);
  const statuses = async (name: string, count: number) => {
    const asked = Array.from({ length: count }, (_, index) => listen(`${name}-${index}?as=${name}`));
    return (await Promise.all(asked)).map(({ status }) => status).filter((status) => status !== 200);
  };
  expect(await statuses('robin', 22)).toEqual([429, 429]);
  expect((await listen('robin-0?as=robin')).status).toBe(200);
  for (const name of ['sam', 'kim', 'alex', 'noor']) expect(await statuses(name, 20)).toEqual([]);
  expect(live.size).toBe(100);
  expect(await statuses('zoe', 1)).toEqual([503]);
});

test('a topic still counts for the viewer who has left it, until the console stops reading it', async () => {
  let answer: (reach: Reach) => void = () => undefined;
  const late = new Promise<Reach>((resolve) => (answer = resolve));
  const { live, listen } = await serve(() => ({ ...nothing(), reach: () => late }));
  for (let index = 0; index < 20; index += 1) await (await listen(`${index}`)).leave();
  expect((await listen('20')).status).toBe(429);
  answer('back');
  await untilTrue(() => live.size === 0);
  expect((await listen('21')).status).toBe(200);
});

test('ending all streams ends all reads, also while the Temporal server does not answer', async () => {
  let reads = 0;
  const answers: ((reach: Reach) => void)[] = [];
  const { live, listen } = await serve(() => ({
    // If the console read without pauses, the test could do nothing else. So the hundredth read waits for ever.
    render: () => ((reads += 1) < 100 ? Promise.resolve(undefined) : new Promise(() => undefined)),
    reach: () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }),
  }));
  const { leave } = await listen('one');
  await untilTrue(() => reads > 0);
  live.close();
  const readsAtEnd = reads;
  await leave();
  expect(reads).toBe(readsAtEnd);
  for (const answer of answers) answer('back');
  await untilTrue(() => live.size === 0);
});
