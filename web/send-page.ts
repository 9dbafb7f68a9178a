import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Html } from './html';

export interface PageSecurity {
  /** Who may embed the page: sources of `frame-ancestors`. */
  readonly frameAncestors: readonly string[];
  /**
   * Whether browsers say where a form of the page comes from when it is sent back here, which is then looked at.
   * @default false: they say it nowhere
   */
  readonly tellsOwnOrigin?: boolean;
}

/** A page is made with the nonce that lets its own style and script in. */
export type PageMaker = (nonce: string) => Html;

/** Sends a page that loads nothing from elsewhere, is kept by no cache, and tells no other site where it is. */
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
