import { describe, expect, test } from '@jest/globals';
import { LOGIN, payorOf } from '../../support/sandbox/flow/payor';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// A56 and A60 are rules of the contract (docs/contract.md).

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

  test('A56 choosing another bank does not reset the number of wrong logins', async () => {
    const payor = await payorOf(await startService({ maxLoginAttempts: 2 }), eft());
    await payor.goTo('login');
    await payor.submit({ username: 'x', password: 'x' });
    await payor.back();
    await payor.submit({ institution: 'harbour' });
    await payor.submit({ username: 'x', password: 'x' });
    expect(await payor.state()).toBe('Failed EFT0401 25');
  });

  test('A60 the page shows the test logins and their password', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    for (const login of ['payor', 'initial', 'moved', 'other', 'sandbox'])
      expect(payor.text).toContain(login);
  });
});

// The login decides about the account holder. `payor` is the payor. `initial` has the payor's first name as an
// initial only. `moved` has another address, and `other` another name.
describe('the identity match and the balance', () => {
  test.each([
    ['payor', 'Initiated EFT0101 25'],
    ['initial', 'Initiated EFT0101 25'],
    ['moved', 'Initiated EFT0101 25'],
    ['other', 'Failed EFT0403 25'],
  ])('A56 a regular EFT with the login %s leads to %s', async (username, state) => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ ...LOGIN, username });
    await payor.submit({ account: 'chequing' });
    expect(await payor.state()).toBe(state);
  });

  test('A56 a balance that is too low leads to EFT0404', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('account');
    await payor.submit({ account: 'student' });
    expect(await payor.state()).toBe('Initiated EFT0101 25');
    await payor.submit();
    expect(await payor.state()).toBe('Failed EFT0404 25');
    expect(payor.text).toContain('The available balance is too low.');
  });

  test('A56 an amount equal to the balance is paid, and one cent more is not', async () => {
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
