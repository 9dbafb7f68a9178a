import { createHmac, timingSafeEqual } from 'node:crypto';
import { keyFor } from './key';

/** Tokens that go with forms: nobody else can make them, and each is good for one login. */
export class FormTokens {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = keyFor('forms', secret);
  }

  of(loginId: string): string {
    return this.#digest(loginId).toString('base64url');
  }

  fits(loginId: string, token: string): boolean {
    const given = Buffer.from(token, 'base64url');
    const expected = this.#digest(loginId);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #digest(loginId: string): Buffer {
    return createHmac('sha256', this.#key).update(loginId).digest();
  }
}
