import type { FastifyReply, FastifyRequest } from 'fastify';

/** The content that a page may load, in addition to this shop's own style and scripts. */
export interface PageSources {
  /** The origin of the pages that it may embed. */
  readonly frames?: string | undefined;
  /** Allows one inline script. */
  readonly nonce?: string;
}

/** Sends a page that may load only the shop's own content and these sources, and that no site may embed. */
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
 * True if the browser says that a page of another origin sent the request. Such pages may link to the shop, but not order
 * or cancel.
 */
export function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns the host that the browser asked for, in lower case and without port. */
export function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
}
