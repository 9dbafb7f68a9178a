import type { FastifyInstance } from 'fastify';

/** The style and the script of every page; also for those who have not logged in. */
export const ASSETS: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  '/console.css': { type: 'text/css; charset=utf-8', text: '' },
  '/console.js': { type: 'text/javascript; charset=utf-8', text: '' },
};

export function assetRoutes(app: FastifyInstance): void {
  for (const [path, { type, text }] of Object.entries(ASSETS)) {
    app.get(path, { config: { isOpen: true } }, (_request, reply) => reply.type(type).send(text));
  }
}
