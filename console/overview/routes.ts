import type { FastifyInstance } from 'fastify';
import { html } from '../../web/html';
import type { ConsoleOptions } from '../server/options';
import { sendConsolePage } from '../server/page';

/** What an operator looks at first. */
export function overviewRoutes(app: FastifyInstance, _options: ConsoleOptions): void {
  app.get('/', (request, reply) =>
    sendConsolePage(request, reply, { title: 'Overview', place: 'overview', content: html`` }),
  );
}
