import { describe, expect, test } from '@jest/globals';
import { HEADINGS, HttpPayor, LOGIN, payorOf, SIGNED, type Fields } from './payor';
import { eft, eTransfer, expectProblem, FORM, geft, PAYEE, startService } from './support';

const XSS = `"'\`><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}</title></style>`;

describe('whatever others wrote', () => {
  const hostile = geft()
    .with('referenceId', XSS)
    .with('payor.firstName', XSS.slice(0, 100))
    .with('payor.lastName', XSS.slice(0, 100))
    .with('payor.middleName', XSS.slice(0, 100))
    .with('payor.occupation', XSS)
    .with('payor.address.addressLine1', XSS.slice(0, 100))
    .with('payor.address.addressLine2', XSS)
    .with('payor.address.unit', XSS)
    .with('payor.address.city', XSS.slice(0, 100))
    .with('payor.address.postalCode', `"'><b>`)
    .with('payee', PAYEE)
    .with('accountLabel', XSS.slice(0, 100))
    .with('options.redirectPreferences', {
      mode: 'RedirectUri',
      urlSuccess: 'https://shop.example/?a="><script>alert(1)</script>&b=\'',
      urlExit: 'https://shop.example/"onload="alert(1)',
    });

  const expectHarmless = (text: string) => {
    expect(text).not.toMatch(/<script>|<img|<b>|"onload/);
    expect(text.match(/<\/style>/g)?.length).toBe(1);
    expect(text.match(/<\/title>/g)?.length).toBe(1);
  };

  test('A60 stays text on every page of the flow, on the overview and in the outbox', async () => {
    const service = await startService();
    const payor = await payorOf(service, hostile);
    const typed = { username: XSS, amount: XSS, signature: XSS, institution: XSS, account: XSS, action: XSS };
    await payor.open();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'chequing' }, {}]) {
      expectHarmless(payor.text);
      expectHarmless((await payor.post({ ...typed, token: XSS })).text);
      await payor.submit(fields);
    }
    await payor.submit({ ...typed, agreed: '' });
    expect(payor.text).toContain('&#60;script&#62;');
    expectHarmless(payor.text);
    await payor.leave();
    expectHarmless(payor.text);
    await payor.open();
    expectHarmless((await payor.submit(SIGNED)).text);
    expect(payor.heading).toBe('Thank you');
    for (const path of ['/', '/outbox', `/app/?sessionId=${encodeURIComponent(XSS)}`, `/app/?${XSS}`]) {
      expectHarmless((await service.send(path)).text);
    }
  });

  test('A60 what the payor typed at the login comes back as text', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ username: XSS, password: 'secret-password' });
    expectHarmless(payor.text);
    expect(payor.text).not.toContain('secret-password');
  });
});

describe('forms that are not the current one', () => {
  async function atAmount() {
    const payor = await payorOf(await startService(), eft());
    return payor.goTo('amount');
  }

  const FORGERIES: readonly (readonly [string, Fields])[] = [
    ['none', {}],
    ['an empty one', { token: '' }],
    ['an invented one', { token: 'A'.repeat(43) }],
    ['one of another length', { token: 'AAAA' }],
    ['a very long one', { token: 'A'.repeat(5_000) }],
  ];

  test.each(FORGERIES)(
    'A60 a token: %s; the current step is shown, and nothing changes',
    async (_name, forged) => {
      const payor = await atAmount();
      const answer = await payor.post({ action: 'continue', ...forged });
      expect(answer.status).toBe(409);
      expect(answer.text).toContain('That page was out of date.');
      expect(answer.text).toContain(HEADINGS.amount);
      expect(await payor.state()).toBe('Initiated EFT0101 25');
      await payor.submit();
      expect(await payor.state()).toBe('Completed EFT0302 25');
    },
  );

  test('A60 a token that is there twice is none', async () => {
    const payor = await atAmount();
    const twice = new URLSearchParams([
      ['token', payor.token],
      ['token', payor.token],
    ]);
    expect((await payor.post(twice)).status).toBe(409);
  });

  test('A60 a field that is there twice counts as missing', async () => {
    const payor = await payorOf(await startService(), eft().without('amount'));
    await payor.goTo('account');
    await payor.submit({ account: 'savings' });
    const twice = new URLSearchParams([
      ['token', payor.token],
      ['amount', '10'],
      ['amount', '20'],
    ]);
    expect((await payor.post(twice)).status).toBe(422);
    expect(await payor.state()).toBe('Initiated EFT0101 null');
  });

  test('A60 a form works once', async () => {
    const payor = await atAmount();
    const { token } = payor;
    await payor.submit();
    const again = await payor.post({ token, action: 'continue' });
    expect([again.status, await payor.state()]).toEqual([409, 'Completed EFT0302 25']);
    expect(again.text).toContain(HEADINGS.agreement);
  });

  test('A60 a form works at its own step, also when a test moved the session on', async () => {
    const payor = await atAmount();
    payor.service.sandbox.act(payor.sessionId, 'bankValidated');
    await payor.submit(SIGNED);
    expect([payor.page.status, payor.heading]).toEqual([409, HEADINGS.agreement]);
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A60 of the same form sent twice at once, one counts', async () => {
    const payor = await atAmount();
    const fields = { token: payor.token, action: 'continue' };
    const answers = await Promise.all([payor.post(fields), payor.post(fields), payor.post(fields)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  });

  test('A60 a wrong login uses its form up, too', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    const fields = { token: payor.token, action: 'continue', username: 'x', password: 'x' };
    const answers = [await payor.post(fields), await payor.post(fields), await payor.post(fields)];
    expect(answers.map(({ status }) => status)).toEqual([422, 409, 409]);
    expect(await payor.state()).toBe('Initiated EFT0101 25');
  });

  test('A60 a form of another session does not count, at the same step of the same kind', async () => {
    const service = await startService();
    const [one, other] = [await payorOf(service, eft()), await payorOf(service, eft())];
    await one.goTo('amount');
    await other.goTo('amount');
    expect((await one.post({ token: other.token, action: 'continue' })).status).toBe(409);
    expect(await one.state()).toBe('Initiated EFT0101 25');
  });

  test('A60 no step can be skipped: only the fields of the current one are read', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.open();
    const everything = { institution: 'boreal', ...LOGIN, account: 'chequing', amount: '25', ...SIGNED };
    const headings: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      await payor.submit({ ...everything, step: 'agreement' });
      headings.push(payor.heading);
    }
    expect(headings).toEqual([HEADINGS.institution, HEADINGS.login, HEADINGS.account]);
  });

  test('A60 back leads nowhere from a step that has no way back', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('account');
    expect((await payor.back()).heading).toBe(HEADINGS.account);
    const signing = await payorOf(payor.service, eft());
    await signing.goTo('agreement');
    expect((await signing.back()).heading).toBe(HEADINGS.agreement);
    expect(await signing.state()).toBe('Completed EFT0302 25');
  });

  test('A60 two tabs: the one behind sees where the session is, and can go on', async () => {
    const service = await startService();
    const ahead = await payorOf(service, eft());
    const behind = new HttpPayor(service, ahead.sessionId);
    await ahead.goTo('login');
    await behind.open();
    await ahead.submit(LOGIN);
    await behind.submit({ username: 'x', password: 'x' });
    expect([behind.page.status, behind.heading]).toEqual([409, HEADINGS.account]);
    await behind.submit({ account: 'chequing' });
    expect(behind.heading).toBe(HEADINGS.amount);
    await ahead.submit({ account: 'student' });
    expect([ahead.page.status, ahead.heading]).toEqual([409, HEADINGS.amount]);
    expect(ahead.text).toContain('****4321');
  });

  test('A60 reading the page again uses up no form', async () => {
    const payor = await atAmount();
    const { token } = payor;
    await payor.open();
    expect(payor.token).toBe(token);
  });

  test('A60 forms outlast an outage', async () => {
    const payor = await atAmount();
    const { sandbox } = payor.service;
    const port = Number(new URL(sandbox.url).port);
    await sandbox.close();
    await sandbox.listen({ port });
    await payor.submit();
    expect(payor.heading).toBe(HEADINGS.agreement);
  });
});

describe('a session that ends meanwhile', () => {
  test('A57, A62 expired: the session is over', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('amount');
    service.clock.advance(15 * 60_000);
    await payor.submit();
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(await payor.state()).toBe('Expired EFT0601 25');
  });

  test('A57 each submission, even of a wrong form’s fields, is a sign of life', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.open();
    for (const fields of [{}, {}, { institution: 'boreal' }, {}, LOGIN, { account: 'chequing' }]) {
      service.clock.advance(14 * 60_000);
      await payor.submit(fields);
    }
    expect(await payor.state()).toBe('Initiated EFT0101 25');
    expect(payor.heading).toBe(HEADINGS.amount);
  });

  test('A54, A58, A62 cancelled: the session is over, and no form brings it back', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('amount');
    await service.cancel(payor.sessionId);
    await payor.submit();
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(await payor.state()).toBe('Cancelled EFT0501 25');
  });

  test.each([
    ['succeeded', { ...LOGIN }],
    ['failed', { ...LOGIN, username: 'other' }],
  ])('A62 after it has %s, the page says that it is over', async (_end, login) => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    for (const fields of [login, { account: 'chequing' }, {}, SIGNED]) await payor.submit(fields);
    expect(payor.page.status).not.toBe(303);
    await payor.open();
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(payor.text).not.toContain('data-step');
  });

  test('A62 a form for a session that there is not', async () => {
    const service = await startService();
    const payor = new HttpPayor(service, 'no-such-session');
    const answer = await payor.post({ token: 'x' });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('This session is over.');
  });
});

describe('sessions that a scenario plays', () => {
  test('A63 show which, and take no form', async () => {
    const payor = await payorOf(await startService(), eTransfer('sandbox-stays-initiated'));
    await payor.open();
    expect([payor.page.status, payor.heading]).toEqual([200, 'A scenario plays the payor']);
    expect(payor.text).toContain('sandbox-stays-initiated');
    expect((await payor.post({ token: 'x', action: 'continue' })).status).toBe(409);
    expect(await payor.state()).toBe('Initiated undefined 25');
  });

  test('A63 the agreement of a session that a scenario plays is not for a person to sign', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft('sandbox-awaits-signature'));
    service.clock.advance(60_000);
    expect((await payor.open()).page.status).toBe(410);
    await payor.post({ token: 'x', ...SIGNED });
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A56 a session whose account a test validated is for a person to sign', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft('order-1'));
    service.sandbox.act(payor.sessionId, 'bankValidated');
    expect((await payor.open()).heading).toBe(HEADINGS.agreement);
    await payor.submit(SIGNED);
    expect(await payor.state()).toBe('Completed EFT0301 25');
  });
});

describe('what is not a form', () => {
  test.each([
    ['application/json', '{}', 400],
    ['text/plain', 'token=x', 400],
  ])('A20 %s', async (contentType, body, status) => {
    const payor = await payorOf(await startService(), eft());
    const headers = { 'content-type': contentType };
    expectProblem(await payor.service.send(payor.path, { method: 'POST', headers, body }), status);
    expect(await payor.state()).toBe('Initiated EFT0101 25');
  });

  test('A20 a form that is too large', async () => {
    const payor = await payorOf(await startService(), eft());
    const body = `token=${'x'.repeat(70_000)}`;
    expectProblem(await payor.service.send(payor.path, { method: 'POST', headers: FORM, body }), 413);
  });
});

describe('the headers of the flow', () => {
  test('A60 a strict policy with a nonce of its own, no cache and no referrer, on every answer', async () => {
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

  test('what the calls remember of a form is its session, and nothing that was typed', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ username: 'typed-name', password: 'typed-password' });
    const calls = payor.service.sandbox.calls.filter(({ route }) => route === 'hostedFlowStep');
    expect(calls.at(-1)).toMatchObject({ method: 'POST', status: 422, sessionId: payor.sessionId });
    expect(JSON.stringify(payor.service.sandbox.calls)).not.toContain('typed');
    expect(JSON.stringify(payor.service.sandbox.session(payor.sessionId))).not.toMatch(/typed|sandbox"/);
  });
});
