import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';
import { buildConsole } from '../../../console/serve-console';

const world = useWorld();
const make = () =>
  buildConsole({
    client: world.client,
    sessions: world.sessions,
    taskQueue: world.taskQueue,
    access: { kind: 'local', operator: { name: 'Sam', role: 'viewer' } },
  });
let app: ReturnType<typeof make>;
let url: string;
beforeAll(async () => {
  app = make();
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

/** Reads server-sent events of a page until an event has this name and contains this text. */
async function readUntil(path: string, event: string, text: string): Promise<string> {
  const leaving = new AbortController();
  const answer = await fetch(`${url}${path}`, { signal: leaving.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  let read = '';
  try {
    for await (const chunk of answer.body ?? []) {
      read += Buffer.from(chunk as Uint8Array).toString();
      const events = read.split('\n\n').slice(0, -1);
      const found = events.find((each) => each.startsWith(`event: ${event}\n`) && each.includes(text));
      if (found !== undefined) return found;
    }
    throw new Error('the stream has ended');
  } finally {
    leaving.abort();
  }
}

describe('a viewer of a live page', () => {
  test('sees a new session in the list', async () => {
    const input = world.input(eft());
    const seen = readUntil('/events/sessions?phase=open', 'fragment', input.key);
    const { session } = await world.sessions.open(input);
    expect(await seen).toContain(`data: `);
    await session.cancelAndWait();
  });

  test('receives the event “beat” regularly, which shows that the console still runs', async () => {
    await readUntil('/events/overview', 'beat', '');
  });

  test('sees a message if no worker is running', async () => {
    const withoutWorker = buildConsole({
      client: world.client,
      sessions: world.sessions,
      taskQueue: 'nobody-polls',
      access: { kind: 'local', operator: { name: 'Sam', role: 'viewer' } },
    });
    const own = url;
    url = await withoutWorker.listen({ host: '127.0.0.1', port: 0 });
    try {
      await readUntil('/events/overview', 'workerLost', '');
    } finally {
      url = own;
      await withoutWorker.close();
    }
  });
});
