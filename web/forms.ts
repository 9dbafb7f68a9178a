import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Tokens that go with forms, so that no other site can send one: nobody else can make them, and each is good for one subject. */
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

/** Whether a page has asked, of whatever site. Browsers say so of what is not typed in; a program says nothing. */
export const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';

type Asked = Pick<IncomingMessage, 'headers'>;

/** True if the browser says that a page of another site has asked. */
export function isFromOtherSite({ headers }: Asked): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  return site !== 'same-origin' && site !== 'none';
}

/** True for a page that the browser shows as a whole, and not within another: a link of another site only leads people to it. */
export const isVisit = ({ headers }: Asked): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/** Whether a form comes from a page of this origin. Browsers say so; a program that says nothing still needs the form's token. */
export function isFromOrigin({ headers }: FastifyRequest, expected: string): boolean {
  const { origin = expected, 'sec-fetch-site': site = 'same-origin' } = headers;
  return site === 'same-origin' && origin.toLowerCase() === expected.toLowerCase();
}
