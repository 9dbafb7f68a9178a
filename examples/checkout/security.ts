import type { FastifyReply, FastifyRequest } from 'fastify';

/** The content that a page may load in addition to the shop's own style sheet and scripts. */
export interface PageSources {
  /** The origin of the pages that the page may embed. @default none */
  readonly frames?: string | undefined;
  /** Allows the inline script that has this nonce. @default no inline script */
  readonly nonce?: string;
}

/** Sends a page. The page may load only the shop's own content and the given sources. No site may embed the page. */
export function sendPage(
  reply: FastifyReply,
  page: string,
  { frames = "'none'", nonce }: PageSources = {},
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      [
        "default-src 'none'",
        "connect-src 'self'",
        "form-action 'self'",
        `frame-src ${frames}`,
        'img-src data:',
        `script-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
        "style-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    )
    .send(page);
}

/**
 * True if the browser says that a page of another origin sent the request. Such a page may link to the shop, but must
 * not order or cancel.
 */
export function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns the host name of the request's `Host` header, in lower case and without port. */
export function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
}
