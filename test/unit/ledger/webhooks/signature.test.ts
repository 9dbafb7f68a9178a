import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { WebhookEndpoint } from '../../../../src/settings';
import { isSecret } from '../../../../src/settings/webhooks/secret';
import { waitOfMessage } from '../../../../ledger/webhooks/deliver-session';
import { fingerprintOf } from '../../../../ledger/webhooks/endpoints';
import { signatureOf } from '../../../../ledger/webhooks/signature';

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;
const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(secretOf);

describe('a webhook’s signature', () => {
  test('can be verified by the library of Standard Webhooks, with each of two secrets', () => {
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
])('%s is a valid secret for signing webhooks: %s', (text, expected) => {
  expect(isSecret(text)).toBe(expected);
});

describe('the fingerprint of a webhook endpoint', () => {
  const endpoint: WebhookEndpoint = {
    name: 'shop',
    url: 'https://shop.example',
    secrets: [secretOf(Buffer.alloc(32))],
    kinds: ['session.paid', 'session.ended'],
    accounts: ['east', 'west'],
  };

  test.each<[string, Partial<WebhookEndpoint>]>([
    ['another URL', { url: 'https://shop.example/2' }],
    ['other secrets', { secrets: [] }],
    ['other kinds', { kinds: ['session.paid'] }],
    ['all kinds', { kinds: undefined }],
    ['other accounts', { accounts: ['east'] }],
    ['all accounts', { accounts: undefined }],
    ['personal data', { personalData: true }],
  ])('changes with %s', (_what, other) => {
    expect(fingerprintOf({ ...endpoint, ...other })).not.toBe(fingerprintOf(endpoint));
  });

  test('does not change with the order of kinds and accounts, or with the endpoint’s name', () => {
    const same: WebhookEndpoint = {
      ...endpoint,
      name: 'other',
      kinds: ['session.ended', 'session.paid'],
      accounts: ['west', 'east'],
      personalData: false,
    };
    expect(fingerprintOf(same)).toBe(fingerprintOf(endpoint));
  });
});

describe('a refused webhook is sent again', () => {
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
  });

  test('no earlier than the receiver allows by Retry-After', () => {
    expect(waitOfMessage(1, 0, 60_000)).toBe(60_000);
  });
});
