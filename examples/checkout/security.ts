import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a page may load, besides this shop's own style and scripts. */
export interface PageSources {
  /** Whose pages it may embed. */
  readonly frames?: string | undefined;
  /** Lets one inline script in. */
  readonly nonce?: string;
}

/** Sends a page that loads nothing but what it names, and that nobody else embeds. */
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

/** A browser says which site a request comes from: others may link to the shop, but not order or cancel. */
export function comesFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** The host that a browser was told to ask, in lower case and without port. */
export function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
}
