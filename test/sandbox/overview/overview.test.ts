import { describe, expect, test } from '@jest/globals';
import { SCENARIOS } from '../../../sandbox';
import { LOGIN, payorOf } from '../../support/sandbox/flow/payor';
import { eft, eTransfer, geft, PAYEE, startService } from '../../support/sandbox/requests-to-sandbox';
import { rowsOf } from '../../support/sandbox/overview/rows-of';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A63, are rules of the contract (docs/contract.md).

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
    expect(text).toContain(`<a href="./sessions/${sessionId}">`);
    expect(text).toContain(`href="./app/?sessionId=${sessionId}"`);
    for (const part of ['sandbox-completes-7', 'Completed EFT0301', '$25.00 CAD'])
      expect(text).toContain(part);
    expect(rowsOf(text, 'Calls')).toContainEqual(expect.arrayContaining(['POST', 'create', '201']));
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

  test.each([
    ['DEBIT', ['****8765', '****6543']],
    ['CREDIT', ['****6543', '****8765']],
  ])(
    'A11 shows for a %s from which account the money comes and to which account it goes',
    async (direction, accounts) => {
      const service = await startService();
      const sessionId = await service.open(eTransfer().with('direction', direction));
      const account = { accountNumber: '1000008765', transitNumber: '00042', institutionCode: '991' };
      service.sandbox.act(sessionId, { type: 'accountChosen', account });
      expect(rowsOf((await service.send('/')).text, 'Sessions')[0]?.slice(-3, -1)).toEqual(accounts);
      const { text } = await service.send(`/sessions/${sessionId}`);
      expect(text.match(/\*{4}\d{4}/g)).toEqual(accounts);
    },
  );

  test('shows the newest fifty sessions and calls, the newest first', async () => {
    const service = await startService();
    for (let count = 1; count <= 51; count += 1) await service.open(eft(`order-${count}-`));
    const { text } = await service.send('/');
    expect(text).not.toContain('order-1-');
    expect(text.indexOf('order-51-')).toBeLessThan(text.indexOf('order-2-'));
    expect([rowsOf(text, 'Sessions').length, rowsOf(text, 'Calls').length]).toEqual([50, 50]);
    expect(text).toContain('The newest 50 of 51.');
  });

  test('leaves out calls of the overview itself', async () => {
    const service = await startService();
    await service.send('/');
    await service.send('/healthz');
    const { text } = await service.send('/');
    expect(rowsOf(text, 'Calls').map(([, , route]) => route)).toEqual(['health']);
  });

  test('finds sessions by reference, id, code and status, in upper or lower case', async () => {
    const service = await startService();
    const lamp = await service.open(eft('Lamp-1'));
    const desk = await service.open(eft('desk-2'));
    await service.cancel(desk);
    const found = async (query: string) =>
      rowsOf((await service.send(`/?${query}`)).text, 'Sessions').map(([, , reference]) => reference);
    expect(await found('q=lAMP')).toEqual(['Lamp-1']);
    expect(await found(`q=${desk.slice(0, 13)}`)).toEqual(['desk-2']);
    expect(await found('q=EFT0501')).toEqual(['desk-2']);
    expect(await found('status=Initiated')).toEqual(['Lamp-1']);
    expect(await found(`q=${lamp}&status=Cancelled`)).toEqual([]);
    expect((await service.send(`/?q=nothing`)).text).toContain('None found.');
    expect(await found('q=lamp&q=desk')).toEqual(['desk-2', 'Lamp-1']);
  });

  test('shows markup in a search as text', async () => {
    const service = await startService();
    await service.open(eft());
    const { text } = await service.send(`/?q=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).toContain('value="&#34;&#62;&#60;script&#62;x&#60;/script&#62;"');
    expect(text).not.toContain('<script>');
  });

  test('says "None yet." before the first session', async () => {
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
  ])(
    'A72 at %s with the headers %j is JSON with the mails of the property `outbox`',
    async (path, headers) => {
      const service = await startService();
      await service.open(linked);
      await service.open(eft('sandbox-completes'));
      service.clock.advance(60_000);
      const answer = await service.send(path, { headers });
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.body['mails']).toEqual(JSON.parse(JSON.stringify(service.sandbox.outbox)));
      expect(service.sandbox.outbox.length).toBe(2);
    },
  );

  test('finds mails by session, address and subject', async () => {
    const service = await startService();
    const sessionId = await service.open(linked);
    await service.cancel(await service.open(eft()));
    const subjects = async (query: string) => {
      const { text } = await service.send(`/outbox?q=${encodeURIComponent(query)}`);
      return [...text.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, subject]) => subject);
    };
    expect(await subjects(sessionId)).toEqual(['Vous avez reçu une demande de paiement']);
    expect(await subjects('CANCELLED')).toEqual(['Your payment was cancelled']);
    expect(await subjects('example.com')).toHaveLength(2);
  });

  test('A72 is empty without mails', async () => {
    const service = await startService();
    expect((await service.send('/outbox.json')).body).toEqual({ mails: [] });
    expect((await service.send('/outbox')).text).toContain('None yet.');
  });
});
