import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LOOPBACK_HOSTS } from '../contract/values/loopback';
import { PaysessionError } from '../errors';

/**
 * Refuses requests for unknown hosts. A web page can make its own name lead here (DNS rebinding), and then read the answers. But the
 * browser sends that name as the host.
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
 * Returns a check for the hosts under which a server is reached: loopback names, its address (any IP address, if it listens on all), the
 * host of its public URL, and the allowed hosts.
 */
export function knownHosts({ address, publicUrl, allowedHosts }: Reachability): (host: string) => boolean {
  const names = new Set([
    ...LOOPBACK_HOSTS,
    inBrackets(address).toLowerCase(),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...allowedHosts.map((host) => host.toLowerCase()),
  ]);
  const listensEverywhere = ['0.0.0.0', '::'].includes(address);
  // A site can make its name lead here, but not an IP address. The server listens on each address of this machine.
  return (host) => names.has(host) || (listensEverywhere && isIP(host.replace(/^\[|\]$/g, '')) !== 0);
}

const inBrackets = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

const NAME = /^([a-z\d_]([a-z\d._-]*[a-z\d])?|\[[\da-f:.]+\])$/i;

/** Throws `PaysessionError` `INVALID_SETTINGS` if one of the hosts is neither a name nor an address. */
export function checkAllowedHosts(hosts: readonly string[]): void {
  const wrong = hosts.find((host) => !NAME.test(host));
  if (wrong === undefined) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    `${JSON.stringify(wrong)} is not a host name. Name each allowed host without scheme and port, such as pay.example.`,
  );
}

/**
 * Makes and checks the tokens of forms, so that no other site can send a form. Only a server with the key can make a token. Each token is
 * valid for one subject, such as a login.
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

/** True if both texts are equal. Compares their hashes, so the duration does not show how much of the texts agrees. */
export const isSameSecret = (expected: string, given: string): boolean =>
  timingSafeEqual(sha256(expected), sha256(given));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** True if the browser says that a page of any site has sent the request. Programs usually send no such header. */
export const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';

type Asked = Pick<IncomingMessage, 'headers'>;

/** True if the browser says that a page of another origin has sent the request, even one of the same site. */
export function isFromOtherSite({ headers }: Asked): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return site !== 'same-origin' && site !== 'none';
}

/**
 * True if the browser opens the page on its own, not within another page. A link on another site can do that, but the other site cannot
 * read the page.
 */
export const isVisit = ({ headers }: Asked): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/**
 * True if a form comes from a page of the expected origin, or has no header that says where it comes from: a program may omit these
 * headers, but needs the form's token.
 */
export function isFromOrigin({ headers }: FastifyRequest, expected: string): boolean {
  const { origin = expected, 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && origin.toLowerCase() === expected.toLowerCase();
}
