import { join } from 'node:path';
import { Html, html } from '../../../web/html';
import type { Language } from '../../../web/language';
import { type PageMaker, COLOURS, readFiles } from '../../../web/send-page';
import { textsOf } from '../texts/languages';
import type { ReturnOfControl } from '../return-of-control';

export interface Layout {
  readonly language: Language;
  readonly title: string;
  readonly content: Html;
  /** Gives control back to the embedding page: at once, or when the payor says so. */
  readonly returning?: ReturnOfControl & { readonly when: 'now' | 'onClick' };
}

const ASSETS = join(__dirname, '..', 'assets');

/** They stand in the page itself, so that a page is one request. */
const STYLE = COLOURS + readFiles(ASSETS, 'flow.css');
const SCRIPT = readFiles(ASSETS, 'flow.js');

/** A page of the hosted flow. */
export function flowPage({ language, title, content, returning }: Layout): PageMaker {
  const texts = textsOf(language);
  return (nonce) =>
    html`<!doctype html>
      <html lang="${language.toLowerCase()}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title}</title>
          ${inline('style', STYLE, nonce)}
        </head>
        <body>
          <main ${returning && returnData(returning)}>
            <div class="card">${content}</div>
            <footer class="soft">${texts.sandboxNote}</footer>
          </main>
          ${inline('script', SCRIPT, nonce)}
        </body>
      </html>`;
}

const inline = (element: 'style' | 'script', text: string, nonce: string): Html =>
  new Html(`<${element} nonce="${nonce}">${text}</${element}>`);

function returnData(returning: NonNullable<Layout['returning']>): Html {
  const when = html`data-when="${returning.when}"`;
  return returning.by === 'redirect'
    ? html`${when} data-url="${returning.url}"`
    : html`${when} data-step="${returning.step}" data-target="${returning.targetOrigin}"`;
}
