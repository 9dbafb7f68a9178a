import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';

/** The style and scripts of the pages. `page/` is for browsers: its TypeScript is built next to this file, its style copied. */
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
