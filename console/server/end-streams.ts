import type { FastifyInstance } from 'fastify';

/** The last event of a live stream whose login has ended; the browser then asks again, and is refused. */
const LOGIN_ENDED = 'retry: 500\nevent: loginEnded\ndata:\n\n';

/** Ends live streams with their login: a stream is let in once, and would go on for ever. */
export function endStreams(app: FastifyInstance): void {
  app.addHook('preHandler', (request, { raw }, done) => {
    const endsAtMs = request.visitor?.endsAtMs;
    if (endsAtMs !== undefined && request.headers.accept?.includes('text/event-stream') === true) {
      const timer = setTimeout(() => {
        // Who writes the stream does not know yet that it has ended.
        raw.on('error', () => undefined);
        if (!raw.writableEnded) raw.end(LOGIN_ENDED);
      }, endsAtMs - Date.now());
      raw.once('close', () => {
        clearTimeout(timer);
      });
    }
    done();
  });
}
