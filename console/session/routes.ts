import type { FastifyInstance } from 'fastify';
import { html } from '../../web/html';
import type { ConsoleOptions } from '../server/options';
import { sendConsolePage } from '../server/page';

/** One session: what it is, where it stands, and what can be done about it. */
export function sessionRoutes(app: FastifyInstance, _options: ConsoleOptions): void {
  app.get('/sessions/:key', (request, reply) =>
    sendConsolePage(request, reply, { title: 'Session', place: 'sessions', content: html`` }),
  );
}
