import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { Redactor } from '../../../../src/service/redactor';
import { anyCharacter } from '../../../support/any-character';
import { testSeed } from '../../../support/seed';
import { SESSION_ID } from '../../../support/service/local-service';
import { base64, hexOf } from '../../../support/service/redaction/encodings';
import { DEFAULT_CLIENT } from '../../../../sandbox/default-client';

const redactorOf = (clientSecret: string) => new Redactor({ clientId: 'client', clientSecret });

const everyUnit = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_unused, at) => write(text.charCodeAt(at))).join('');
/** Changes only ASCII letters, because a change of case can lengthen other letters, or cannot be undone. */
const inAscii = (text: string, change: (part: string) => string) => text.replace(/[a-z]+/gi, change);

/** The ways in which a service may write a secret that it repeats. */
const WRITINGS: Record<string, (secret: string) => string> = {
  unchanged: (secret) => secret,
  'in capitals': (secret) => inAscii(secret, (part) => part.toUpperCase()),
  'in small letters': (secret) => inAscii(secret, (part) => part.toLowerCase()),
  'percent-encoded': (secret) => encodeURIComponent(secret),
  'percent-encoded in small letters': (secret) =>
    inAscii(encodeURIComponent(secret), (part) => part.toLowerCase()),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded byte by byte': (secret) => hexOf(secret).replace(/../g, '%$&'),
  'as a form': (secret) => new URLSearchParams({ secret }).toString().slice('secret='.length),
  'as JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'as JSON within JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  'unicode-escaped': (secret) => everyUnit(secret, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'as HTML': (secret) => secret.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
  'as HTML in hex': (secret) =>
    secret.replace(/[^a-z]/gu, (one) => `&#x${one.codePointAt(0)?.toString(16) ?? ''};`),
  'as HTML with names': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in hex': hexOf,
  'in hex in capitals': (secret) => hexOf(secret).toUpperCase(),
  'in hex, escaped': (secret) => hexOf(secret).replace(/../g, '\\x$&'),
  'in base64': base64,
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
};

/** Texts that JSON and UTF-8 can carry, of at least eight characters. */
const secrets = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 60 }),
    fc.string({ unit: anyCharacter, minLength: 8, maxLength: 60 }),
    fc.base64String({ minLength: 8, maxLength: 200 }),
  )
  .filter((text) => !/\p{Surrogate}/u.test(text));
const nearby = fc.string({
  unit: fc.constantFrom(' ', '"', ':', 'a', 'Z', '9', '-', '%', 'é'),
  maxLength: 12,
});
const seed = testSeed();

describe('a secret', () => {
  test.each(Object.entries(WRITINGS))('is found in a text %s', (_name, write) => {
    fc.assert(
      fc.property(secrets, nearby, nearby, (secret, before, after) => {
        const redacted = redactorOf(secret).text(`${before}(${write(secret)})${after}`);
        expect(redacted).toBe(`${before}([redacted])${after}`);
      }),
      { seed },
    );
  });

  test('is found within base64, at any offset', () => {
    const around = fc.string({ unit: fc.constantFrom('i', 'd', ':'), maxLength: 7 });
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        const redacted = redactorOf(secret).text(base64(before + secret + after));
        expect(redacted).toContain('[redacted]');
        expect(redacted.indexOf('[redacted]')).toBeLessThanOrEqual(Math.floor((before.length * 8) / 6));
        expect(redacted.length).toBeLessThanOrEqual(
          Math.floor((before.length * 8) / 6) + 10 + after.length * 2,
        );
      }),
      { seed },
    );
  });

  test.each(['', '…', '...', ' (cut)', '"', '***'])(
    'is found if it is cut off after at least 8 characters, before %j',
    (mark) => {
      const ascii = fc.string({ minLength: 9, maxLength: 60 });
      fc.assert(
        fc.property(ascii, fc.nat(), (secret, cut) => {
          const length = 8 + (cut % (secret.length - 8));
          const redacted = redactorOf(secret).text(`Authorization: Bearer ${secret.slice(0, length)}${mark}`);
          expect(redacted).toContain('[redacted]');
          expect(redacted).not.toContain(secret.slice(0, length));
        }),
        { seed },
      );
    },
  );

  test.each([
    ['in base64', base64],
    ['in hex', hexOf],
  ])('is found if it is written %s and cut off', (_name, write) => {
    const secret = 'a-secret-that-must-not-show';
    const redactor = redactorOf(secret);
    const written = write(secret);
    for (let length = Math.ceil((8 * written.length) / secret.length); length < written.length; length += 1) {
      expect(redactor.text(`got ${written.slice(0, length)}…`)).toBe('got [redacted]…');
      expect(redactor.text(`got …${written.slice(-length)}`)).toBe('got …[redacted]');
    }
  });

  test('is not found in a text that only begins like the secret', () => {
    const redactor = redactorOf(DEFAULT_CLIENT.clientSecret);
    for (const text of ['sandbox-awaits-signature', DEFAULT_CLIENT.clientId, 'sandbox-sound', SESSION_ID]) {
      expect(redactor.text(text)).toBe(text);
    }
  });

  test('is not found in a random text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(redactorOf('a-secret-that-must-not-show').text(text)).toBe(text);
      }),
      { seed },
    );
  });

  test('of four to seven characters is found only as a whole word', () => {
    const redactor = redactorOf('s3cr');
    expect(redactor.text('the secret "s3cr", or S3CR')).toBe('the secret "[redacted]", or [redacted]');
    expect(redactor.text('s3cret')).toBe('s3cret');
  });

  test('of four bytes is found even if it has fewer than four characters', () => {
    expect(redactorOf('éé').text('éé')).toBe('[redacted]');
  });

  test('of three characters is not found, except in Basic credentials', () => {
    const redactor = redactorOf('pay');
    expect(redactor.text('pay')).toBe('pay');
    expect(redactor.text(`Basic ${base64('client:pay')}`)).toBe('Basic [redacted]');
  });

  test('is found in the beginning of a long text, and the rest of the text is cut off', () => {
    const redactor = redactorOf('a-client-secret');
    const text = redactor.text(`${'x '.repeat(2_000)}a-client-secret${'y'.repeat(10_000)}`);
    expect(text).toMatch(/^(x )+\[redacted\]y+$/);
    expect(text.length).toBeLessThan(5_000);
  });

  test('is found in keys, in arrays and as a number', () => {
    const redactor = redactorOf('1234567890');
    expect(redactor.json({ a: [{ 'key-1234567890': 1234567890 }], b: 12, c: null, d: true })).toEqual({
      a: [{ 'key-[redacted]': '[redacted]' }],
      b: 12,
      c: null,
      d: true,
    });
  });
});

describe('an access token', () => {
  test('is redacted once it is known, even after newer tokens', () => {
    const redactor = redactorOf('a-client-secret');
    expect(redactor.text('first-token')).toBe('first-token');
    for (const token of ['first-token', 'second-token', 'third-token']) redactor.learn(token);
    expect(redactor.text('first-token, second-token')).toBe('[redacted], [redacted]');
  });

  test('is not redacted any more after sixteen newer tokens', () => {
    const redactor = redactorOf('a-client-secret');
    const tokens = Array.from('abcdefghijklmnopq', (letter) => letter.repeat(12));
    for (const token of tokens) redactor.learn(token);
    expect(redactor.text('aaaaaaaaaaaa bbbbbbbbbbbb')).toBe('aaaaaaaaaaaa [redacted]');
  });
});
