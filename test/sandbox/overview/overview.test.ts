import { describe, expect, test } from '@jest/globals';
import { DEFAULT_CLIENT, SCENARIOS } from '../../../sandbox';
import { LOGIN, payorOf } from '../flow/payor';
import { eft, eTransfer, geft, PAYEE, startService } from '../support';

const linked = eTransfer().with('options.notificationPreferences', { sendNetworkLink: true, language: 'FR' });

describe('the overview', () => {
  test('A63 lists the scenarios, the sessions and the calls', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('sandbox-completes-7'));
    service.clock.advance(60_000);
    const { status, headers, text } = await service.send('/');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    for (const { id, summary } of SCENARIOS)
      expect([id, summary].every((part) => text.includes(part))).toBe(true);
    expect(text).toContain(`<a href="./app/?sessionId=${sessionId}">`);
    for (const part of ['sandbox-completes-7', 'Completed EFT0301', '$25.00 CAD'])
      expect(text).toContain(part);
    expect(text).toMatch(/POST<\/td>\s*<td>create<\/td>\s*<td>201</);
  });

  test('A36 shows no payor, no token and no account number in full', async () => {
    const service = await startService();
    const token = await service.token();
    const payor = await payorOf(service, geft().with('payee', PAYEE));
    await payor.goTo('account');
    await payor.submit({ account: 'savings' });
    const { text } = await service.send('/');
    expect(text).toContain('****8765');
    expect(text).toContain('****4567');
    for (const secret of [
      token,
      payor.token,
      DEFAULT_CLIENT.clientSecret,
      'Tremblay',
      'example.com',
      'King Street',
      LOGIN.password + '"',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/0001234567|1000008765/);
  });

  test('shows the newest fifty, the newest first', async () => {
    const service = await startService();
    for (let count = 1; count <= 51; count += 1) await service.open(eft(`order-${count}-`));
    const { text } = await service.send('/');
    expect(text).not.toContain('order-1-');
    expect(text.indexOf('order-51-')).toBeLessThan(text.indexOf('order-2-'));
    expect(text.match(/<tr>/g)?.length).toBe(50 + 50 + SCENARIOS.length + 3);
  });

  test('leaves out that it was looked at', async () => {
    const service = await startService();
    await service.send('/');
    await service.send('/healthz');
    const { text } = await service.send('/');
    expect(text).toContain('<td>health</td>');
    expect(text).not.toContain('<td>overview</td>');
  });

  test('says where there is nothing yet', async () => {
    expect((await (await startService()).send('/')).text).toContain('None yet.');
  });
});

describe('the outbox', () => {
  test('A45, A72 shows the mails, the newest first, in the payors’ languages, with links', async () => {
    const service = await startService();
    const sessionId = await service.open(linked);
    await service.cancel(await service.open(eft()));
    const { text, headers } = await service.send('/outbox', { headers: { accept: 'text/html,*/*' } });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toMatch(/<div lang="fr">\s*<strong>Vous avez reçu une demande de paiement<\/strong>/);
    expect(text).toContain(`<a href="${service.sandbox.url}/app/?sessionId=${sessionId}">`);
    expect(text.indexOf('Your payment was cancelled')).toBeLessThan(text.indexOf('Vous avez'));
  });

  test.each([
    ['/outbox.json', {}],
    ['/outbox', { accept: 'application/json' }],
  ])('A72 %s %j is the same as the property', async (path, headers) => {
    const service = await startService();
    await service.open(linked);
    await service.open(eft('sandbox-completes'));
    service.clock.advance(60_000);
    const answer = await service.send(path, { headers });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body['mails']).toEqual(JSON.parse(JSON.stringify(service.sandbox.outbox)));
    expect(service.sandbox.outbox.length).toBe(2);
  });

  test('A72 without mails there is none', async () => {
    const service = await startService();
    expect((await service.send('/outbox.json')).body).toEqual({ mails: [] });
    expect((await service.send('/outbox')).text).toContain('None yet.');
  });
});
