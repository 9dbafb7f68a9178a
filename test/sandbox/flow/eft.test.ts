import { describe, expect, test } from '@jest/globals';
import { HEADINGS, LOGIN, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A60, are rules of the contract (docs/contract.md).

describe('the flow of a regular EFT', () => {
  test('A60, A56 consent, bank, login, account, amount and signature lead to EFT0301', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    const pages: string[] = [];
    const recordPage = async () => pages.push(`${payor.heading}: ${await payor.state()}`);
    await payor.open();
    await recordPage();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'savings' }, {}, SIGNED]) {
      await payor.submit(fields);
      await recordPage();
    }
    expect(pages).toEqual([
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

  test('A56 if a test validates the bank account, the payor signs an agreement without an account number', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    service.sandbox.act(payor.sessionId, 'bankValidated');
    expect((await payor.open()).heading).toBe(HEADINGS.agreement);
    expect(payor.text).toContain('I authorize a single debit of $25.00 CAD from my account.');
  });

  test('A51 the details show the payor’s chosen account, masked', async () => {
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
  ] as const)('A60 with showConsentScreen %s, the flow begins with the step %s', async (asked, step) => {
    const service = await startService();
    const payor = await payorOf(service, eft().with('options.showConsentScreen', asked));
    expect((await payor.open()).heading).toBe(HEADINGS[step]);
    expect(payor.text).toContain(`Step 1 of ${asked === false ? 5 : 6}`);
  });

  test('A60 with consentByDefault: false, only a session with showConsentScreen: true has the consent screen', async () => {
    const service = await startService({ consentByDefault: false });
    const heading = async (asked: boolean | null) =>
      (await (await payorOf(service, eft().with('options.showConsentScreen', asked))).open()).heading;
    expect(await heading(null)).toBe(HEADINGS.institution);
    expect(await heading(true)).toBe(HEADINGS.consent);
  });

  test('A60 a form without a choice shows the step again, and says what is missing', async () => {
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

  test('A60 the Back button leads from the login to the banks, and from the amount to the accounts', async () => {
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

describe('the PAD agreement', () => {
  test('A56 leaving before the signature leads to EFT0302, and signing later to EFT0301', async () => {
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

  test('A56 the mail that asks for the signature links to the flow', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('agreement');
    const [mail] = service.sandbox.outbox;
    expect(mail).toMatchObject({ kind: 'awaitingSignature', link: `${service.sandbox.url}${payor.path}` });
  });

  test('A55 with cancellableWhileUnsigned, a cancel before the signature ends the flow', async () => {
    const service = await startService({ cancellableWhileUnsigned: true });
    const payor = await payorOf(service, eft());
    await payor.goTo('agreement');
    expect((await service.cancel(payor.sessionId)).status).toBe(200);
    await payor.submit(SIGNED);
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(await payor.state()).toBe('Cancelled EFT0501 25');
  });
});
