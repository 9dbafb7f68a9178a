import { describe, expect, test } from '@jest/globals';
import { eft, geft, PAYEE, startService } from '../../support/sandbox/requests-to-sandbox';
import { HttpPayor, LOGIN, SIGNED } from '../../support/sandbox/flow/payor';

// A60 and A62 are rules of the contract (docs/contract.md).

describe('the hosted flow', () => {
  test('A60 opens without a token, may be embedded, and is not kept by caches', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const { status, headers, text } = await service.send(`/app/?sessionId=${sessionId}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain('frame-ancestors *');
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('25.00 CAD');
  });

  test('A60 is in the session’s language', async () => {
    const service = await startService();
    const sessionId = await service.open(eft().with('options.notificationPreferences.language', 'FR'));
    expect((await service.send(`/app/?sessionId=${sessionId}`)).text).toContain('<html lang="fr">');
  });

  test('A60 starts at a GET of its page, but not at a HEAD', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const path = `/app/?sessionId=${sessionId}`;
    await service.send(path, { method: 'HEAD' });
    expect((await service.details(sessionId)).body['step']).toBe('Created');
    await service.send(path);
    expect((await service.details(sessionId)).body['step']).toBe('Started');
  });

  test('A60 names the merchant on each page', async () => {
    const service = await startService();
    const payor = new HttpPayor(service, await service.open(eft()));
    await payor.open();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'chequing' }, {}, SIGNED]) {
      expect([payor.heading, payor.text.includes('Sample Merchant')]).toEqual([payor.heading, true]);
      await payor.submit(fields);
    }
    expect(payor.heading).toBe('Thank you');
    expect(payor.text).toContain('Sample Merchant');
  });

  test('A60 escapes the merchant’s texts', async () => {
    const service = await startService();
    const label = '<script>alert("x")</script>';
    const sessionId = await service.open(geft().with('payee', PAYEE).with('accountLabel', label));
    const { text } = await service.send(`/app/?sessionId=${sessionId}`);
    expect(text).not.toContain('<script>');
    expect(text).toContain('&#60;script&#62;');
  });

  test.each([
    '',
    '?sessionId=',
    '?sessionId=x',
    '?sessionId=%zz',
    '?sessionId=a&sessionId=b',
    '?sessionId=%3Cb%3E',
  ])('A62 answers /app/%s with a page that says that the session is over', async (query) => {
    const service = await startService();
    const { status, headers, text } = await service.send(`/app/${query}`);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('This session is over.');
    expect(text).toContain('Cette session est terminée.');
    expect(text).not.toContain('<b>');
  });

  test('A62 also says of an ended session that it is over', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    await service.cancel(sessionId);
    const { status, text } = await service.send(`/app/?sessionId=${sessionId}`);
    expect(status).toBe(410);
    expect(text).toContain('This session is over.');
  });

  test('redirects from its path without the final slash', async () => {
    const service = await startService();
    const { status, headers } = await service.send('/app?sessionId=x');
    expect([status, headers['location']]).toEqual([302, '/app/?sessionId=x']);
  });
});
