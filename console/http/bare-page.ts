import type { FastifyReply } from 'fastify';
import { html, type Html } from '../../src/web/html';
import type { Language } from '../../src/web/language';

/** Sends a page without navigation, to a person who has no access or has not logged in. */
export function sendBarePage(
  reply: FastifyReply,
  language: Language,
  { title, content }: { readonly title: string; readonly content: Html },
): FastifyReply {
  const page = html`<!doctype html>
    <html lang="${language.toLowerCase()}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – paysession</title>
        <link rel="stylesheet" href="/console.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
  return reply.type('text/html; charset=utf-8').send(`${page.text}\n`);
}
