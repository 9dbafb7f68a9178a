import { describe, expect, test } from '@jest/globals';
import { payorOf } from '../../support/sandbox/flow/payor';
import {
  eft,
  eTransfer,
  FORM,
  geft,
  PAYEE,
  startService,
  type Service,
} from '../../support/sandbox/requests-to-sandbox';
import { rowsOf } from '../../support/sandbox/overview/rows-of';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A36, are rules of the contract (docs/contract.md).

const HOSTILE = '"><script>alert(1)</script>';

/** Returns the token in the forms of a page. */
async function tokenOf(service: Service, path: string): Promise<string> {
  return /name="token" value="([\w-]+)"/.exec((await service.send(path)).text)?.[1] ?? '';
}

const post = (service: Service, path: string, fields: Record<string, string>, headers = {}) =>
  service.send(path, {
    method: 'POST',
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  });

async function play(service: Service, sessionId: string, choice: string, headers = {}) {
  const path = `/sessions/${sessionId}`;
  return post(service, path, { token: await tokenOf(service, path), choice }, headers);
}

const choicesOn = (text: string) =>
  [...text.matchAll(/name="choice" value="(\w+)"/g)].map(([, choice]) => choice);

describe('the page of a session', () => {
  test('A36 shows facts, calls and mails, but no payor, no token and no account number in full', async () => {
    const service = await startService();
    const other = await service.open(eft('other-1'));
    const payor = await payorOf(service, geft('order-7').with('payee', PAYEE));
    const { sessionId } = payor;
    await payor.goTo('account');
    await payor.submit({ account: 'savings' });
    await service.details(sessionId);
    await service.cancel(sessionId);
    const { status, text, headers } = await service.send(`/sessions/${sessionId}`);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    for (const part of [sessionId, 'order-7', 'Sample Merchant', 'Cancelled EFT0501', '****8765', '****4567'])
      expect(text).toContain(part);
    const routes = rowsOf(text, 'Calls').map(([, , route]) => route);
    expect(routes[0]).toBe('cancel');
    expect(routes.at(-1)).toBe('create');
    expect(routes).not.toContain('sessionPage');
    expect(rowsOf(text, 'Mails').map(([, kind, subject]) => [kind, subject])).toEqual([
      ['cancelled', 'Your payment was cancelled'],
    ]);
    for (const secret of [
      payor.token,
      DEFAULT_CLIENT.clientSecret,
      'Tremblay',
      'Avery',
      'example.com',
      'King Street',
      other,
    ])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/0001234567|1000008765/);
  });

  test('shows markup in a reference or display name as text', async () => {
    const service = await startService({ clients: [{ ...DEFAULT_CLIENT, displayName: HOSTILE }] });
    const sessionId = await service.open(geft(HOSTILE).with('payee', PAYEE));
    const { text } = await service.send(`/sessions/${sessionId}`);
    expect(text).not.toContain('<script>');
    expect(text.match(/&#34;&#62;&#60;script&#62;alert\(1\)/g)?.length).toBe(2);
  });

  test.each(['none', '%22%3E%3Cscript%3E', 'x'.repeat(2_000)])(
    'answers 404 for the unknown session %.30s',
    async (id) => {
      const { status, text } = await (await startService()).send(`/sessions/${id}`);
      expect(status).toBe(404);
      expect(text).toContain('holds no session of this id');
      expect(text).not.toContain('<script>');
    },
  );
});

describe('the overview’s form that makes calls fail', () => {
  const fail = async (service: Service, failure: string, headers = {}) =>
    post(service, '/faults', { token: await tokenOf(service, '/'), failure }, headers);

  test('makes the next calls fail, shows planned failures, and removes them', async () => {
    const service = await startService();
    expect((await fail(service, 'createFails')).status).toBe(303);
    await fail(service, 'pollsFail');
    const { text } = await service.send('/');
    expect(rowsOf(text, 'Failures to come').map(([call]) => call)).toEqual([
      'create',
      ...Array.from({ length: 5 }, () => 'details'),
    ]);
    expect((await service.create(eft())).status).toBe(503);
    const sessionId = await service.open(eft());
    expect((await service.details(sessionId)).status).toBe(503);
    await fail(service, 'none');
    expect((await service.details(sessionId)).status).toBe(200);
    expect((await service.send('/')).text).not.toContain('Failures to come');
  });

  test('refuses an unknown failure, too many failures, and requests of other sites', async () => {
    const service = await startService();
    expect((await fail(service, 'everything')).status).toBe(400);
    expect((await fail(service, 'createFails', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(service, '/faults', { token: 'x', failure: 'createFails' })).status).toBe(403);
    for (let count = 0; count < 21; count += 1) await fail(service, 'pollsFail');
    expect((await fail(service, 'pollsFail')).status).toBe(400);
    expect((await fail(service, 'none')).status).toBe(303);
  });
});

describe('playing the payor from the page', () => {
  test.each([
    ['completed', 'Completed', 'EFT0301'],
    ['bankValidated', 'Completed', 'EFT0302'],
    ['loginFailed', 'Failed', 'EFT0401'],
    ['identityFailed', 'Failed', 'EFT0403'],
    ['insufficientFunds', 'Failed', 'EFT0404'],
    ['cancelled', 'Cancelled', 'EFT0501'],
    ['expired', 'Expired', 'EFT0601'],
  ])('A56 %s leads to %s %s, and back to the page', async (choice, status, code) => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const answer = await play(service, sessionId, choice);
    expect([answer.status, answer.headers['location']]).toEqual([303, `./${sessionId}`]);
    expect(service.sandbox.session(sessionId)?.state).toMatchObject({ status, code });
  });

  test('A55 with cancellableWhileUnsigned, offers and carries out a cancel before the signature', async () => {
    const service = await startService({ cancellableWhileUnsigned: true });
    const sessionId = await service.open(eft());
    service.sandbox.act(sessionId, 'bankValidated');
    const choices = choicesOn((await service.send(`/sessions/${sessionId}`)).text);
    expect(choices).toEqual(['padSigned', 'cancelled']);
    expect((await play(service, sessionId, 'cancelled')).status).toBe(303);
    expect(service.sandbox.session(sessionId)?.state).toMatchObject({ status: 'Cancelled' });
  });

  test('offers only the choices that the session accepts in its state', async () => {
    const service = await startService();
    const choices = async (sessionId: string) =>
      choicesOn((await service.send(`/sessions/${sessionId}`)).text).join(' ');
    const unsigned = await service.open(eft());
    service.sandbox.act(unsigned, 'bankValidated');
    expect(await choices(unsigned)).toBe('padSigned');
    expect(await choices(await service.open(geft().with('payee', PAYEE)))).toContain('noGuarantee');
    expect(await choices(await service.open(eTransfer()))).not.toMatch(/bankValidated|padSigned/);
    const ended = await service.open(eft());
    await service.cancel(ended);
    expect(await choices(ended)).toBe('');
  });

  test('A40 first enters an amount for the payor if the session has none', async () => {
    const service = await startService();
    const sessionId = await service.open(eft().without('amount'));
    await play(service, sessionId, 'completed');
    expect(service.sandbox.session(sessionId)?.state).toMatchObject({ status: 'Completed', amount: 25 });
  });

  test('is answered 409 if the session has ended meanwhile', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const token = await tokenOf(service, `/sessions/${sessionId}`);
    await service.cancel(sessionId);
    const { status, text } = await post(service, `/sessions/${sessionId}`, { token, choice: 'completed' });
    expect([status, text.includes('Nothing has changed')]).toEqual([409, true]);
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Cancelled');
  });

  test.each(['toString', 'touched', ''])('refuses the unknown choice %j', async (choice) => {
    const service = await startService();
    expect((await play(service, await service.open(eft()), choice)).status).toBe(400);
  });
});

describe('resetting from the overview', () => {
  test('deletes sessions, mails, calls and planned failures; tokens stay valid', async () => {
    const service = await startService();
    const authorization = `Bearer ${await service.token()}`;
    await service.cancel(await service.open(eft()));
    service.sandbox.failNext('details', { kind: 'status', status: 503 });
    const answer = await post(service, '/reset', { token: await tokenOf(service, '/') });
    expect([answer.status, answer.headers['location']]).toEqual([303, './']);
    expect(service.sandbox.outbox).toEqual([]);
    expect(service.sandbox.calls.map(({ route }) => route)).toEqual([]);
    expect(rowsOf((await service.send('/')).text, 'Sessions')).toEqual([]);
    const details = await service.send('/api/v2/sessions/x/details', { headers: { authorization } });
    expect(details.status).toBe(404);
  });
});

describe('playing and resetting', () => {
  const SENDERS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['another site’s page', { origin: 'https://shop.example' }],
    ['a page with the origin null', { origin: 'null' }],
    ['another site’s form', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site' }],
    ['a caller behind a proxy', { 'x-forwarded-for': '192.0.2.1' }],
  ];

  test.each(SENDERS)('are refused if the request is from %s', async (_who, headers) => {
    const service = await startService();
    const sessionId = await service.open(eft());
    expect((await play(service, sessionId, 'completed', headers)).status).toBe(403);
    const token = await tokenOf(service, '/');
    expect((await post(service, '/reset', { token }, headers)).status).toBe(403);
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Initiated');
  });

  test('are refused if the form does not have the page’s token', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    for (const token of ['', 'x', 'A'.repeat(43)]) {
      expect((await post(service, `/sessions/${sessionId}`, { token, choice: 'completed' })).status).toBe(
        403,
      );
      expect((await post(service, '/reset', { token })).status).toBe(403);
    }
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Initiated');
  });

  test('are not offered to a visitor through a proxy', async () => {
    const service = await startService({ allowedHosts: ['sandbox.example'] });
    const sessionId = await service.open(eft());
    for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }]) {
      for (const path of ['/', `/sessions/${sessionId}`])
        expect((await service.send(path, { headers })).text).not.toContain('name="token"');
    }
  });

  test('are allowed from the sandbox’s own page, with the headers of a browser', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const headers = { origin: service.sandbox.url, 'sec-fetch-site': 'same-origin' };
    expect((await play(service, sessionId, 'completed', headers)).status).toBe(303);
  });
});
