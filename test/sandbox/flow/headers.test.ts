import { describe, expect, test } from '@jest/globals';
import { payorOf } from '../../support/sandbox/flow/payor';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// A60 is a rule of the contract (docs/contract.md).

describe('the headers of the flow', () => {
  test('A60 have a strict policy with a new nonce in every answer, and forbid caches and referrers', async () => {
    const payor = await payorOf(await startService({ frameAncestors: ['https://shop.example'] }), eft());
    await payor.open();
    const invalid = await payor.post({ token: 'x' });
    const over = await payor.service.send('/app/?sessionId=x');
    const nonces = [payor.page, invalid, over].map(({ headers, text }) => {
      const policy = headers['content-security-policy'] ?? '';
      const nonce = /script-src 'nonce-([\w+/=]{20,})'/.exec(policy)?.[1] ?? '';
      expect(policy.split('; ').sort()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'self'",
        'frame-ancestors https://shop.example',
        `script-src 'nonce-${nonce}'`,
        `style-src 'nonce-${nonce}'`,
      ]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(text).toContain(`<script nonce="${nonce}">`);
      expect(text).not.toMatch(/<script(?! nonce)|<style(?! nonce)| style=| on[a-z]+=/);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(3);
  });

  test('the log of calls has the session of a form, but not what the payor typed', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ username: 'typed-name', password: 'typed-password' });
    const calls = payor.service.sandbox.calls.filter(({ route }) => route === 'hostedFlowStep');
    expect(calls.at(-1)).toMatchObject({ method: 'POST', status: 422, sessionId: payor.sessionId });
    expect(JSON.stringify(payor.service.sandbox.calls)).not.toContain('typed');
    expect(JSON.stringify(payor.service.sandbox.session(payor.sessionId))).not.toMatch(/typed|sandbox"/);
  });
});
