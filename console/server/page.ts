import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Html } from '../../web/html';
import { sendPage } from '../../web/send-page';
import { readerOf } from './reader';

/** The pages that the navigation leads to. */
export type Place = 'overview' | 'sessions';

export interface ConsolePage {
  readonly title: string;
  readonly content: Html;
  /** Which entry of the navigation is the current one. */
  readonly place: Place;
}

/** Sends a page of the console, in the reader's language. */
export function sendConsolePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, content }: ConsolePage,
): FastifyReply {
  const { language } = readerOf(request);
  return sendPage(
    reply,
    () =>
      html`<!doctype html>
        <html lang="${language.toLowerCase()}">
          <head>
            <meta charset="utf-8" />
            <title>${title} – paysession</title>
          </head>
          <body>
            <main>
              <h1>${title}</h1>
              ${content}
            </main>
          </body>
        </html>`,
    { frameAncestors: ["'none'"] },
  );
}
