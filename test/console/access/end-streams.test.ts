import { afterEach, expect, test } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { endStreams } from '../../../console/server/end-streams';

let app: FastifyInstance;
afterEach(() => app.close());

/** All that a browser hears of a stream until the server ends it. */
async function hear({ loginLastsMs, renewedAfterMs }: Record<'loginLastsMs' | 'renewedAfterMs', number>) {
  app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', (request, _reply, done) => {
    const operator = { name: 'robin', role: 'viewer' } as const;
    request.visitor = { operator, loginId: 'one', endsAtMs: Date.now() + loginLastsMs };
    done();
  });
  endStreams(app, renewedAfterMs);
  app.get('/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write('event: beat\ndata:\n\n');
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${url}/stream`, { headers: { accept: 'text/event-stream' } });
  return answer.text();
}

test('a stream is asked for anew after a while, so that whoever may not look any more is refused', async () => {
  expect(await hear({ loginLastsMs: 60_000, renewedAfterMs: 50 })).toContain('event: renew');
});

test('a stream ends with its login where that is sooner', async () => {
  expect(await hear({ loginLastsMs: 50, renewedAfterMs: 60_000 })).toContain('event: loginEnded');
});
