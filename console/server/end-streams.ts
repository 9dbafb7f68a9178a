import type { FastifyInstance } from 'fastify';

/** The last event of a live stream whose login has ended; the browser then asks again, and is refused. */
const LOGIN_ENDED = 'retry: 500\nevent: loginEnded\ndata:\n\n';
/** The last event of any other: the browser asks again, and who it is is found out anew. */
const RENEW = 'retry: 500\nevent: renew\ndata:\n\n';

/** How long somebody whom a proxy does not let in any more, or who has logged out, still sees changes. */
const RENEWED_AFTER_MS = 60_000;

/** Ends live streams with their login, and each after a while: a stream is let in once, and would go on for ever. */
export function endStreams(app: FastifyInstance, renewedAfterMs = RENEWED_AFTER_MS): void {
  app.addHook('preHandler', (request, { raw }, done) => {
    if (request.headers.accept?.includes('text/event-stream') === true) {
      const leftMs = (request.visitor?.endsAtMs ?? Infinity) - Date.now();
      const timer = setTimeout(
        () => {
          // Who writes the stream does not know yet that it has ended.
          raw.on('error', () => undefined);
          if (!raw.writableEnded) raw.end(leftMs <= renewedAfterMs ? LOGIN_ENDED : RENEW);
        },
        Math.min(leftMs, renewedAfterMs),
      );
      raw.once('close', () => {
        clearTimeout(timer);
      });
    }
    done();
  });
}
