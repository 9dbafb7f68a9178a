import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Html } from './html';

/**
 * Reads files of a folder, and returns their texts as one text. Modules call it when they are loaded, so a missing file stops the
 * program at its start.
 */
export const readFiles = (folder: string, ...names: readonly string[]): string =>
  names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');

/** The folder of the files that are sent to browsers unchanged. The build copies it next to this file. */
const ASSETS = join(__dirname, 'assets');

/** The colours of all pages, including those of the hosted flow. */
export const COLOURS = readFiles(ASSETS, 'colours.css');

/** The complete style of the pages of the console and of the sandbox’s own pages. */
export const STYLE = readFiles(ASSETS, 'colours.css', 'page.css', 'parts.css', 'narrow.css');

/**
 * The script of the console's pages. `page.js` must be last, because it sends the event `dress`, which `copy.js` must already listen
 * to.
 */
export const SCRIPT = readFiles(ASSETS, 'copy.js', 'keys.js', 'page.js');

export interface PageSecurity {
  /** The sites whose pages may embed this page, as sources of `frame-ancestors`. */
  readonly frameAncestors: readonly string[];
  /**
   * True if browsers send the page's origin with the page's forms, so that the server can check the origin.
   * @default false: they send `null`
   */
  readonly tellsOwnOrigin?: boolean;
}

/** Makes a page. The nonce allows the page's own style and script. */
export type PageMaker = (nonce: string) => Html;

/**
 * Sends a page with headers that protect it: the page loads nothing from other servers, is never cached, and does not reveal its
 * address to other sites.
 */
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
