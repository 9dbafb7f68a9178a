import type { FastifyInstance } from 'fastify';
import { html } from '../../web/html';
import type { ConsoleOptions } from '../server/options';
import { sendConsolePage } from '../server/page';

/** The list of sessions. */
export function sessionsRoutes(app: FastifyInstance, _options: ConsoleOptions): void {
  app.get('/sessions', (request, reply) =>
    sendConsolePage(request, reply, { title: 'Sessions', place: 'sessions', content: html`` }),
  );
}
