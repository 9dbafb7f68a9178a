import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { ModuleKind, transpileModule } from 'typescript';
import type { PaymentSessions } from '../../../src';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';
import { filesOf } from '../../support/docs/snippets';

/** The type of the function `streamChanges` in docs/guides/sessions.md. These tests run the function in a real HTTP server. */
type StreamChanges = (sessions: PaymentSessions, key: string, response: ServerResponse) => Promise<void>;

const world = useWorld();
const endedKeys: string[] = [];

function streamChanges(): StreamChanges {
  const code = filesOf('docs/guides/sessions.md').get('stream-changes.mts') ?? '';
  const { outputText } = transpileModule(code, { compilerOptions: { module: ModuleKind.CommonJS } });
  const exported: { streamChanges?: StreamChanges } = {};
  runInNewContext(outputText, { exports: exported, AbortController });
  if (exported.streamChanges === undefined) throw new Error('the page has no streamChanges');
  return exported.streamChanges;
}

const shop = use(
  async () => {
    const stream = streamChanges();
    const server = createServer((request, response) => {
      const key = request.url?.slice(1) ?? '';
      stream(world.sessions, key, response).then(
        () => endedKeys.push(key),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return server;
  },
  async (server) => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  },
);

const urlOf = (key: string) => `http://127.0.0.1:${(shop.address() as AddressInfo).port}/${key}`;

test('the guide’s streamChanges sends each change of a session to a page, and last the session’s end', async () => {
  const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
  const page = await fetch(urlOf(session.key));
  expect(page.headers.get('content-type')).toBe('text/event-stream');
  world.payor(sessionId).completes();
  const events = (await page.text()).trim().split('\n\n');
  const states = events.map((event): unknown => JSON.parse(event.replace('data: ', '')));
  expect(states[0]).toMatchObject({ phase: 'open', status: 'Initiated' });
  expect(states.at(-1)).toEqual({ phase: 'ended', status: 'Completed', paid: true });
});

test('the guide’s streamChanges stops once the page disconnects', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const closed = new AbortController();
  await fetch(urlOf(session.key), { signal: closed.signal });
  closed.abort();
  await until(
    () => Promise.resolve(endedKeys),
    (keys) => keys.includes(session.key),
  );
  expect(await session.state()).toMatchObject({ phase: 'open' });
});

test('the guide’s streamChanges rejects if no session has the key', async () => {
  expect((await fetch(urlOf('no-such-key'))).status).toBe(404);
});
