import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LOOPBACK_HOSTS } from '../contract/values/loopback';
import { PaysessionError } from '../errors';

/**
 * Refuses requests for unknown hosts, as a protection against DNS rebinding. In this attack, a site lets its own name lead to this
 * server, so that its pages can read the server's answers. But the browser sends the site's name as the host.
 */
export function onlyHosts(
  app: FastifyInstance,
  isKnown: (host: string) => boolean,
  refusal: () => Error,
): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const host = /^(\[[\da-f:.]+\]|[^[\]:]+)(:\d{1,5})?$/i.exec(headers.host ?? '')?.[1]?.toLowerCase();
    done(host !== undefined && isKnown(host) ? undefined : refusal());
  });
}

export interface Reachability {
  /** The address on which the server listens. */
  readonly address: string;
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
}

/**
 * Returns a function that checks whether a host is known. Known hosts are the loopback names, the server's address, the host of its
 * public URL, and the allowed hosts. If the server listens on all addresses, every IP address is a known host.
 */
export function knownHosts({ address, publicUrl, allowedHosts }: Reachability): (host: string) => boolean {
  const names = new Set([
    ...LOOPBACK_HOSTS,
    inBrackets(address).toLowerCase(),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...allowedHosts.map((host) => host.toLowerCase()),
  ]);
  const listensEverywhere = ['0.0.0.0', '::'].includes(address);
  // A site can let its name lead to this server, but it cannot do so with an IP address. So IP addresses are safe.
  return (host) => names.has(host) || (listensEverywhere && isIP(host.replace(/^\[|\]$/g, '')) !== 0);
}

const inBrackets = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

const NAME = /^([a-z\d_]([a-z\d._-]*[a-z\d])?|\[[\da-f:.]+\])$/i;

/** Throws `PaysessionError` `INVALID_SETTINGS` if one of the hosts is not a host name or an address. */
export function checkAllowedHosts(hosts: readonly string[]): void {
  const wrong = hosts.find((host) => !NAME.test(host));
  if (wrong === undefined) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    `${JSON.stringify(wrong)} is not a host name. Name each allowed host without scheme and port, such as pay.example.`,
  );
}

/**
 * Makes and checks the tokens in forms, which keep other sites from sending the forms. Only a server with the key can make a token. Each
 * token is valid for one subject, such as a login.
 */
export class FormTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  of(subject: string): string {
    return this.#digest(subject).toString('base64url');
  }

  fits(subject: string, token: string): boolean {
    const given = Buffer.from(token, 'base64url');
    const expected = this.#digest(subject);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #digest(subject: string): Buffer {
    return createHmac('sha256', this.#key).update(subject).digest();
  }
}

/** True if both texts are equal. Compares hashes, so the duration of the comparison does not show how much of the secret was guessed. */
export const isSameSecret = (expected: string, given: string): boolean =>
  timingSafeEqual(sha256(expected), sha256(given));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** True if the request's headers show that a page in a browser has sent it. Programs usually send no such headers. */
export const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';

type Asked = Pick<IncomingMessage, 'headers'>;

/** True if the request's headers show that a page of another origin has sent it. Another origin of the same site counts too. */
export function isFromOtherSite({ headers }: Asked): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return site !== 'same-origin' && site !== 'none';
}

/**
 * True if the browser opens the page in a window or tab, and not inside another page. A link on another site can do that, but the other
 * site cannot read the page.
 */
export const isVisit = ({ headers }: Asked): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/**
 * True if a form comes from a page of the expected origin. Also true if the request has no header about its origin: a program may omit
 * these headers, but still needs the form's token.
 */
export function isFromOrigin({ headers }: FastifyRequest, expected: string): boolean {
  const { origin = expected, 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && origin.toLowerCase() === expected.toLowerCase();
}
