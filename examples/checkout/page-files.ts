import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the pages' style sheet and scripts. The build compiles the TypeScript in `page/` for browsers, and copies the
 * style sheet.
 */
export function pageFiles(app: FastifyInstance): void {
  const embed = join(dirname(require.resolve('paysession/embed')), 'module', 'index.js');
  const files = [
    { path: '/shop.css', type: 'text/css', text: read(join(__dirname, 'page', 'shop.css')) },
    { path: '/order.js', type: 'text/javascript', text: read(join(__dirname, 'page', 'order.js')) },
    { path: '/embed.js', type: 'text/javascript', text: read(embed) },
  ];
  for (const { path, type, text } of files) {
    app.get(path, (_request, reply) => reply.type(`${type}; charset=utf-8`).send(text));
  }
}

const read = (path: string): string => readFileSync(path, 'utf8');
