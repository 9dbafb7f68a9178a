import { describe, expect, test } from '@jest/globals';
import { HEADINGS, HttpPayor, LOGIN, payorOf, SIGNED, type Fields } from '../../support/sandbox/flow/payor';
import { eft, expectProblem, FORM, startService } from '../../support/sandbox/requests-to-sandbox';

// A60 and A20 are rules of the contract (docs/contract.md).

describe('the forms of the hosted flow', () => {
  async function atAmount() {
    const payor = await payorOf(await startService(), eft());
    return payor.goTo('amount');
  }

  const FORGERIES: readonly (readonly [string, Fields])[] = [
    ['no token', {}],
    ['an empty token', { token: '' }],
    ['an invented token', { token: 'A'.repeat(43) }],
    ['a token of another length', { token: 'AAAA' }],
    ['a very long token', { token: 'A'.repeat(5_000) }],
  ];

  test.each(FORGERIES)('A60 with %s show the current step, and change nothing', async (_name, forged) => {
    const payor = await atAmount();
    const answer = await payor.post({ action: 'continue', ...forged });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('That page was out of date.');
    expect(answer.text).toContain(HEADINGS.amount);
    expect(await payor.state()).toBe('Initiated EFT0101 25');
    await payor.submit();
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A60 a token that is present twice is invalid', async () => {
    const payor = await atAmount();
    const twice = new URLSearchParams([
      ['token', payor.token],
      ['token', payor.token],
    ]);
    expect((await payor.post(twice)).status).toBe(409);
  });

  test('A60 a field that is present twice counts as missing', async () => {
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

  test('A60 a form of an earlier step is refused after a test moved the session to a later step', async () => {
    const payor = await atAmount();
    payor.service.sandbox.act(payor.sessionId, 'bankValidated');
    await payor.submit(SIGNED);
    expect([payor.page.status, payor.heading]).toEqual([409, HEADINGS.agreement]);
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A60 if a form is sent three times at once, exactly one of them counts', async () => {
    const payor = await atAmount();
    const fields = { token: payor.token, action: 'continue' };
    const answers = await Promise.all([payor.post(fields), payor.post(fields), payor.post(fields)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  });

  test('A60 after a wrong login, the form cannot be sent again', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    const fields = { token: payor.token, action: 'continue', username: 'x', password: 'x' };
    const answers = [await payor.post(fields), await payor.post(fields), await payor.post(fields)];
    expect(answers.map(({ status }) => status)).toEqual([422, 409, 409]);
    expect(await payor.state()).toBe('Initiated EFT0101 25');
  });

  test('A60 a form of another session is refused, even if both sessions are at one step', async () => {
    const service = await startService();
    const [one, other] = [await payorOf(service, eft()), await payorOf(service, eft())];
    await one.goTo('amount');
    await other.goTo('amount');
    expect((await one.post({ token: other.token, action: 'continue' })).status).toBe(409);
    expect(await one.state()).toBe('Initiated EFT0101 25');
  });

  test('A60 no step can be skipped: only the fields of the current step are read', async () => {
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

  test('A60 the Back button has no effect after the login and after the account was validated', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('account');
    expect((await payor.back()).heading).toBe(HEADINGS.account);
    const signing = await payorOf(payor.service, eft());
    await signing.goTo('agreement');
    expect((await signing.back()).heading).toBe(HEADINGS.agreement);
    expect(await signing.state()).toBe('Completed EFT0302 25');
  });

  test('A60 a second tab with an old step shows the session’s current step, and can continue from there', async () => {
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

  test('A60 a form stays valid if the payor reloads the page', async () => {
    const payor = await atAmount();
    const { token } = payor;
    await payor.open();
    expect(payor.token).toBe(token);
  });

  test('A60 a form stays valid after the sandbox was closed and listens again', async () => {
    const payor = await atAmount();
    const { sandbox } = payor.service;
    const port = Number(new URL(sandbox.url).port);
    await sandbox.close();
    await sandbox.listen({ port });
    await payor.submit();
    expect(payor.heading).toBe(HEADINGS.agreement);
  });
});

describe('a request that is not a valid form', () => {
  test.each([
    ['application/json', '{}', 400],
    ['text/plain', 'token=x', 400],
  ])('A20 with the content type %s and the body %s is answered %i', async (contentType, body, status) => {
    const payor = await payorOf(await startService(), eft());
    const headers = { 'content-type': contentType };
    expectProblem(await payor.service.send(payor.path, { method: 'POST', headers, body }), status);
    expect(await payor.state()).toBe('Initiated EFT0101 25');
  });

  test('A20 because it is too large is answered 413', async () => {
    const payor = await payorOf(await startService(), eft());
    const body = `token=${'x'.repeat(70_000)}`;
    expectProblem(await payor.service.send(payor.path, { method: 'POST', headers: FORM, body }), 413);
  });
});
