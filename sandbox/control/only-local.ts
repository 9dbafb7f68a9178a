import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../../web/problems';
import { LOOPBACK_HOSTS, onlyHosts } from '../../web/known-hosts';

/** Refuses what a web page could send: browsers tell where a request comes from, and for which host it is. */
export function onlyLocal(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const site = headers['sec-fetch-site'];
    const fromPage = headers.origin !== undefined || (site !== undefined && site !== 'none');
    done(fromPage ? new HttpProblem(403, 'The control port takes no requests from web pages.') : undefined);
  });
  onlyHosts(
    app,
    (host) => LOOPBACK_HOSTS.includes(host),
    'The control port answers only as 127.0.0.1, localhost or [::1].',
  );
}
