import type { FastifyInstance } from 'fastify';

/** The last event of a live stream whose login has ended; the browser then asks again, and is refused. */
const LOGIN_ENDED = 'retry: 500\nevent: loginEnded\ndata:\n\n';

/** Ends live streams with their login: a stream was let in once, and would go on for ever. */
export function endStreams(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    const endsAtMs = request.visitor?.endsAtMs;
    const isStream = request.headers.accept?.includes('text/event-stream') === true;
    if (endsAtMs !== undefined && isStream) {
      const { raw } = reply;
      const timer = setTimeout(() => {
        if (!raw.writableEnded) raw.end(LOGIN_ENDED);
      }, endsAtMs - Date.now());
      raw.once('close', () => {
        clearTimeout(timer);
      });
    }
    done();
  });
}
