import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { waitOfEndpoint, waitOfMessage } from '../../../../ledger/news/back-off';
import { fingerprintOf, messageId, signatureOf } from '../../../../ledger/news/signature';
import { isSecret } from '../../../../src/settings/news/secret';

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;
const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf);

describe('a signature', () => {
  test('is what the library of Standard Webhooks verifies, with either of two secrets', () => {
    const timestamp = Math.floor(Date.now() / 1_000);
    fc.assert(
      fc.property(anySecret, anySecret, fc.json(), (one, other, body) => {
        const message = { id: 'msg_1', timestamp, body };
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatureOf([one, other], message),
        };
        for (const secret of [one, other])
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      }),
      { numRuns: 50 },
    );
  });
});

test.each([
  [secretOf(Buffer.alloc(24)), true],
  [secretOf(Buffer.alloc(64)), true],
  [secretOf(Buffer.alloc(23)), false],
  [secretOf(Buffer.alloc(65)), false],
  ['whsec_not base64', false],
  [Buffer.alloc(32).toString('base64'), false],
])('%s is a secret: %s', (text, expected) => {
  expect(isSecret(text)).toBe(expected);
});

test('a message has one id in one ledger, and another in each other', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const ids = [
    messageId(hash('one'), 'session.opened'),
    messageId(hash('one'), 'session.paid'),
    messageId(hash('two'), 'session.opened'),
  ];
  expect(new Set(ids).size).toBe(3);
  expect(messageId(hash('one'), 'session.opened')).toBe(ids[0]);
  expect(ids[0]).toMatch(/^msg_[\w-]{27}$/);
});

test('a fingerprint tells one URL and its secrets from another, and shows neither', () => {
  const endpoint = { name: 'shop', url: 'https://shop.example', secrets: [secretOf(Buffer.alloc(32))] };
  expect(fingerprintOf(endpoint)).toBe(fingerprintOf({ ...endpoint, name: 'other' }));
  expect(fingerprintOf(endpoint)).not.toBe(fingerprintOf({ ...endpoint, url: 'https://shop.example/2' }));
  expect(fingerprintOf(endpoint)).not.toBe(fingerprintOf({ ...endpoint, secrets: [] }));
});

describe('what is refused is tried again', () => {
  const sumOf = (waits: (refusals: number) => number | undefined) => {
    let sum = 0;
    for (let refusals = 1; ; refusals += 1) {
      const waitMs = waits(refusals);
      if (waitMs === undefined) return { days: sum / 86_400_000, refusals };
      sum += waitMs;
    }
  };

  test('for three days', () => {
    const message = sumOf((refusals) => waitOfMessage(refusals, 0));
    expect(message.days).toBeGreaterThan(3);
    expect(message.days).toBeLessThan(3.5);
    const endpoint = sumOf((refusals) => waitOfEndpoint(refusals, 0));
    expect(endpoint.days).toBeGreaterThan(3);
    expect(endpoint.days).toBeLessThan(3.1);
  });

  test('not before the receiver asks for it', () => {
    expect([waitOfMessage(1, 0, 60_000), waitOfEndpoint(1, 0, 60_000)]).toEqual([60_000, 60_000]);
  });
});
