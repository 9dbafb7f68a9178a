import { join } from 'node:path';
import { Html, html } from '../../src/web/html';
import type { Language } from '../../src/web/language';
import { type PageMaker, COLOURS, readFiles } from '../../src/web/send-page';
import type { SessionOptions } from '../sessions/session';
import { textsOf } from './texts';
import { onlyOrigin } from '../options';

export interface Layout {
  readonly language: Language;
  readonly title: string;
  readonly content: Html;
  /** The way in which the page returns control to the merchant: at once, or when the payor clicks. */
  readonly returning?: ReturnOfControl & { readonly when: 'now' | 'onClick' };
}

const ASSETS = join(__dirname, 'assets');

/** Styles and script are in the page itself, so that a page is one request. */
const STYLE = COLOURS + readFiles(ASSETS, 'flow.css');
const SCRIPT = readFiles(ASSETS, 'flow.js');

/** Returns a page of the hosted flow. */
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

/** Outcome of the payor's time in the flow (specification, "Events"). */
type Outcome = 'SUCCESS' | 'EXIT';

/**
 * The way in which the merchant gets control back: at its URL, or by a message to the embedding page (contract rules A17, A61 in
 * docs/contract.md).
 */
export type ReturnOfControl =
  | { readonly by: 'redirect'; readonly url: string }
  | { readonly by: 'message'; readonly step: Outcome; readonly targetOrigin: string };

/** Returns a redirect if the request asks for redirects and has a URL for this outcome. Otherwise returns a message. */
export function returnOfControl(
  { redirectPreferences }: Pick<SessionOptions, 'redirectPreferences'>,
  outcome: Outcome,
  frameAncestors: readonly string[],
): ReturnOfControl {
  const { mode, urlSuccess, urlExit } = redirectPreferences;
  const url = outcome === 'SUCCESS' ? urlSuccess : urlExit;
  if (mode === 'RedirectUri' && url !== null) return { by: 'redirect', url };
  const targetOrigin = onlyOrigin(frameAncestors) ?? merchantOrigin([urlSuccess, urlExit]) ?? '*';
  return { by: 'message', step: outcome, targetOrigin };
}

/** Returns the origin that all of the merchant's URLs share; `undefined` if there are none or they differ. */
function merchantOrigin(urls: readonly (string | null)[]): string | undefined {
  const origins = new Set(urls.flatMap((url) => (url === null ? [] : [new URL(url).origin])));
  return origins.size === 1 ? [...origins][0] : undefined;
}
