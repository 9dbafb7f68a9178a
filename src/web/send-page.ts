import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Html } from './html';

/** Returns the joined texts of a folder's files. Modules call it as they load, so a missing file stops the program at its start. */
export const readFiles = (folder: string, ...names: readonly string[]): string =>
  names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');

/** Files that are sent to browsers unchanged. The build copies them next to this file. */
const ASSETS = join(__dirname, 'assets');

/** The colours of all pages, including those of the hosted flow. */
export const COLOURS = readFiles(ASSETS, 'colours.css');

/** The style of the console and of the sandbox’s own pages. These pages have no other style. */
export const STYLE = readFiles(ASSETS, 'colours.css', 'page.css', 'parts.css', 'narrow.css');

/** The script of the console's pages. `page.js` is last: for each new part of a page, it sends the event `dress` to `copy.js`. */
export const SCRIPT = readFiles(ASSETS, 'copy.js', 'keys.js', 'page.js');

export interface PageSecurity {
  /** The pages that may embed this one: sources of `frame-ancestors`. */
  readonly frameAncestors: readonly string[];
  /** True if browsers send the page's own origin with its forms, so that the server can check it. @default false: they send `null` */
  readonly tellsOwnOrigin?: boolean;
}

/** Makes a page with the nonce that allows its own style and script. */
export type PageMaker = (nonce: string) => Html;

/** Sends a page that loads nothing from elsewhere, is never cached, and does not reveal its address to other sites. */
export function sendPage(reply: FastifyReply, makePage: PageMaker, security: PageSecurity): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'cache-control': 'no-store',
      'referrer-policy': security.tellsOwnOrigin === true ? 'same-origin' : 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'nonce-${nonce}'`,
        `script-src 'nonce-${nonce}'`,
        "form-action 'self'",
        "base-uri 'none'",
        `frame-ancestors ${security.frameAncestors.join(' ')}`,
      ].join('; '),
    })
    .send(`${makePage(nonce).text}\n`);
}
