import { describe, expect, test } from '@jest/globals';
import { HEADINGS, LOGIN, payorOf, SIGNED } from './payor';
import { eft, startService } from '../support';

describe('the flow of a regular EFT', () => {
  test('A60, A56 consent, bank, login, account, amount and signature lead to EFT0301', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    const story: string[] = [];
    const tell = async () => story.push(`${payor.heading}: ${await payor.state()}`);
    await payor.open();
    await tell();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'savings' }, {}, SIGNED]) {
      await payor.submit(fields);
      await tell();
    }
    expect(story).toEqual([
      'Your consent: Initiated EFT0101 25',
      'Choose your bank: Initiated EFT0101 25',
      'Log in to your bank: Initiated EFT0101 25',
      'Choose an account: Initiated EFT0101 25',
      'Confirm the amount: Initiated EFT0101 25',
      'Sign the pre-authorized debit agreement: Completed EFT0302 25',
      'Thank you: Completed EFT0301 25',
    ]);
    expect(payor.page.status).toBe(200);
    expect(payor.text).toContain('Your payment of $25.00 CAD is on its way.');
  });

  test('A51 the chosen account is the one that the details show, masked', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('login');
    expect((await service.details(payor.sessionId)).body).not.toHaveProperty('payor');
    await payor.submit(LOGIN);
    await payor.submit({ account: 'savings' });
    const { body } = await service.details(payor.sessionId);
    expect(body).toMatchObject({
      step: 'AccountChosen',
      payor: { account: { institutionCode: '991', transitNumber: '00042', accountNumber: '****8765' } },
    });
  });

  test.each([
    [true, 'consent'],
    [null, 'consent'],
    [undefined, 'consent'],
    [false, 'institution'],
  ] as const)('A60 showConsentScreen %s begins with the step %s', async (asked, step) => {
    const service = await startService();
    const payor = await payorOf(service, eft().with('options.showConsentScreen', asked));
    expect((await payor.open()).heading).toBe(HEADINGS[step]);
    expect(payor.text).toContain(`Step 1 of ${asked === false ? 5 : 6}`);
  });

  test('A60 an option hides the consent screen where a session does not ask for it', async () => {
    const service = await startService({ consentByDefault: false });
    const heading = async (asked: boolean | null) =>
      (await (await payorOf(service, eft().with('options.showConsentScreen', asked))).open()).heading;
    expect(await heading(null)).toBe(HEADINGS.institution);
    expect(await heading(true)).toBe(HEADINGS.consent);
  });

  test('A60 nothing chosen: the step again, with what is missing', async () => {
    const payor = await payorOf(await startService(), eft());
    const expectAgain = async (step: keyof typeof HEADINGS, ...problems: readonly string[]) => {
      await payor.submit({ institution: '', account: 'x' });
      expect(payor.page.status).toBe(422);
      expect([payor.heading, payor.problems]).toEqual([HEADINGS[step], problems]);
      expect(payor.text).toContain('<title>Error: ');
    };
    await payor.goTo('institution');
    await expectAgain('institution', 'Choose your bank.');
    await payor.submit({ institution: 'fleuve' });
    expect(payor.text).toContain('Caisse du Fleuve');
    await expectAgain('login', 'Enter your username and password.');
    await payor.submit(LOGIN);
    await expectAgain('account', 'Choose an account.');
    await payor.submit({ account: 'chequing' });
    await payor.submit();
    await expectAgain('agreement', 'Tick the box to agree.', 'Type your full name to sign.');
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A60 back leads to the bank, and to the account', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    expect((await payor.back()).heading).toBe(HEADINGS.institution);
    await payor.submit({ institution: 'harbour' });
    await payor.submit(LOGIN);
    await payor.back();
    expect(payor.heading).toBe(HEADINGS.account);
    await payor.submit({ account: 'chequing' });
    expect((await payor.back()).heading).toBe(HEADINGS.account);
    await payor.submit({ account: 'savings' });
    expect(payor.text).toContain('****8765');
  });
});

describe('the login', () => {
  test('A56 three wrong logins end with EFT0401', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ username: 'payor', password: 'wrong' });
    expect(payor.problems).toEqual(['The username or password is wrong. 2 attempts are left.']);
    expect(payor.text).toContain('value="payor"');
    expect(payor.text).not.toContain('wrong"');
    await payor.submit({ username: 'nobody', password: 'sandbox' });
    expect(payor.problems).toEqual(['The username or password is wrong. One attempt is left.']);
    await payor.submit({ username: '', password: '' });
    expect(await payor.state()).toBe('Initiated EFT0101 25');
    await payor.submit({ username: 'toString', password: 'sandbox' });
    expect(await payor.state()).toBe('Failed EFT0401 25');
    expect(payor.heading).toBe('The payment could not be made');
    expect(payor.text).toContain('The login at your bank failed too many times.');
  });

  test('A56 going back for another bank gives no further attempts', async () => {
    const payor = await payorOf(await startService({ maxLoginAttempts: 2 }), eft());
    await payor.goTo('login');
    await payor.submit({ username: 'x', password: 'x' });
    await payor.back();
    await payor.submit({ institution: 'harbour' });
    await payor.submit({ username: 'x', password: 'x' });
    expect(await payor.state()).toBe('Failed EFT0401 25');
  });

  test('A60 the test logins are on the page', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    for (const login of ['payor', 'initial', 'moved', 'other', 'sandbox'])
      expect(payor.text).toContain(login);
  });
});

describe('the identity match and the balance', () => {
  test.each([
    ['payor', 'Initiated EFT0101 25'],
    ['initial', 'Initiated EFT0101 25'],
    ['moved', 'Initiated EFT0101 25'],
    ['other', 'Failed EFT0403 25'],
  ])('A56 regular EFT, login %s: %s', async (username, state) => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ ...LOGIN, username });
    await payor.submit({ account: 'chequing' });
    expect(await payor.state()).toBe(state);
  });

  test('A56 the account’s balance is too low: EFT0404', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('account');
    await payor.submit({ account: 'student' });
    expect(await payor.state()).toBe('Initiated EFT0101 25');
    await payor.submit();
    expect(await payor.state()).toBe('Failed EFT0404 25');
    expect(payor.text).toContain('The available balance is too low.');
  });

  test('A56 the whole balance is enough, and a cent more is not', async () => {
    const service = await startService();
    const end = async (amount: number) => {
      const payor = await payorOf(service, eft().with('amount', amount));
      await payor.goTo('amount');
      await payor.submit();
      return payor.state();
    };
    expect(await end(2_500)).toBe('Completed EFT0302 2500');
    expect(await end(2_500.01)).toBe('Failed EFT0404 2500.01');
  });
});

describe('the amount', () => {
  const open = eft().without('amount').with('options.limits', { minimumAmount: 5, maximumAmount: 50 });

  test('A14 an omitted amount is entered within the session’s limits', async () => {
    const payor = await payorOf(await startService(), open);
    await payor.goTo('account');
    await payor.submit({ account: 'chequing' });
    expect(payor.heading).toBe('Enter the amount');
    expect(payor.text).toContain('From $5.00 CAD to $50.00 CAD.');
    for (const amount of ['4.99', '50.01', '5000000000000']) {
      await payor.submit({ amount });
      expect(payor.page.status).toBe(422);
      expect(payor.text).toContain(`value="${amount}"`);
    }
    expect(payor.problems).toEqual(['Enter an amount in dollars and cents, such as 25.00.']);
    await payor.submit({ amount: '50.01' });
    expect(payor.problems).toEqual(['Enter an amount from $5.00 CAD to $50.00 CAD.']);
    for (const amount of ['', 'x', '-5', '5.001', '1e1', '5,000', 'NaN', '٥']) {
      await payor.submit({ amount });
      expect(payor.problems).toEqual(['Enter an amount in dollars and cents, such as 25.00.']);
    }
    expect(await payor.state()).toBe('Initiated EFT0101 null');
    await payor.submit({ amount: '50' });
    expect(await payor.state()).toBe('Completed EFT0302 50');
  });

  test('A14 without limits of its own, the client’s', async () => {
    const payor = await payorOf(await startService(), eft().without('amount'));
    await payor.goTo('account');
    await payor.submit({ account: 'savings' });
    await payor.submit({ amount: '0.99' });
    expect(payor.problems).toEqual(['Enter an amount from $1.00 CAD to $10,000.00 CAD.']);
    await payor.submit({ amount: '10 000' });
    expect(await payor.state()).toBe('Completed EFT0302 10000');
  });

  test('A16 a preset amount can be changed where the merchant lets it', async () => {
    const payor = await payorOf(await startService(), eft().with('options.amountModification', true));
    await payor.goTo('amount');
    expect(payor.text).toContain('value="25.00"');
    await payor.submit({ amount: '31.50' });
    expect(await payor.state()).toBe('Completed EFT0302 31.5');
  });

  test.each([false, undefined])('A16 and not where amountModification is %s', async (allowed) => {
    const payor = await payorOf(await startService(), eft().with('options.amountModification', allowed));
    await payor.goTo('amount');
    expect(payor.text).toContain('cannot be changed');
    expect(payor.text).not.toContain('name="amount"');
    await payor.submit({ amount: '31.50' });
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });
});

describe('the agreement', () => {
  test('A56 leaving before the signature is EFT0302; signing later moves it to EFT0301', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('agreement');
    await payor.leave();
    expect(payor.heading).toBe('You have left the payment');
    expect(payor.text).toContain('is waiting for your signature');
    expect(await payor.state()).toBe('Completed EFT0302 25');
    service.clock.advance(48 * 60 * 60_000);
    expect((await payor.open()).heading).toBe(HEADINGS.agreement);
    expect(payor.text).toContain('Boreal Bank ****4321');
    await payor.submit(SIGNED);
    expect(payor.heading).toBe('Thank you');
    expect(await payor.state()).toBe('Completed EFT0301 25');
  });

  test('A56 the mail that asks for the signature leads to it', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('agreement');
    const [mail] = service.sandbox.outbox;
    expect(mail).toMatchObject({ kind: 'awaitingSignature', link: `${service.sandbox.url}${payor.path}` });
  });

  test('A55 a cancel before the signature, where that is allowed, ends the flow', async () => {
    const service = await startService({ cancellableWhileUnsigned: true });
    const payor = await payorOf(service, eft());
    await payor.goTo('agreement');
    expect((await service.cancel(payor.sessionId)).status).toBe(200);
    await payor.submit(SIGNED);
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(await payor.state()).toBe('Cancelled EFT0501 25');
  });
});
