import type { FastifyInstance } from 'fastify';
import { HttpProblem } from '../problems';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Refuses what a web page could send: browsers tell where a request comes from, and a page of a name that leads here
 * (DNS rebinding) sends that name as host.
 */
export function onlyLocal(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const site = headers['sec-fetch-site'];
    if (headers.origin !== undefined || (site !== undefined && site !== 'none')) {
      done(new HttpProblem(403, 'The control port takes no requests of web pages.'));
    } else if (!LOOPBACK.test(headers.host ?? '')) {
      done(new HttpProblem(403, 'The control port is reached as 127.0.0.1, localhost or [::1] only.'));
    } else {
      done();
    }
  });
}
