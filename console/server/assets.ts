import type { FastifyInstance } from 'fastify';
import { SCRIPT } from '../../web/shell/script';
import { STYLE } from '../../web/shell/style';

const ASSETS = {
  '/console.css': { type: 'text/css; charset=utf-8', text: STYLE },
  '/console.js': { type: 'text/javascript; charset=utf-8', text: SCRIPT },
};

/** The style and the script of every page, also for those who have not logged in. */
export function assetRoutes(app: FastifyInstance): void {
  for (const [path, { type, text }] of Object.entries(ASSETS)) {
    app.get(path, { config: { isOpen: true } }, (_request, reply) => reply.type(type).send(text));
  }
}
