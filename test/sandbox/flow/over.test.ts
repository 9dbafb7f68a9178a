import { describe, expect, test } from '@jest/globals';
import { HEADINGS, HttpPayor, LOGIN, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A57, are rules of the contract (docs/contract.md).

describe('the hosted flow', () => {
  test('A57, A62 says that the session is over once it has expired', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft());
    await payor.goTo('amount');
    service.clock.advance(15 * 60_000);
    await payor.submit();
    expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
    expect(await payor.state()).toBe('Expired EFT0601 25');
  });

  test('A57 counts each submitted form as activity, even a form with the wrong fields', async () => {
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

  test('A54, A58, A62 says that the session is over once it is cancelled, also in answer to a form that was open before', async () => {
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
  ])(
    'A62 says that the session is over if the payor returns after the payment has %s',
    async (_end, login) => {
      const payor = await payorOf(await startService(), eft());
      await payor.goTo('login');
      for (const fields of [login, { account: 'chequing' }, {}, SIGNED]) await payor.submit(fields);
      expect(payor.page.status).not.toBe(303);
      await payor.open();
      expect([payor.page.status, payor.heading]).toEqual([410, 'This session is over.']);
      expect(payor.text).not.toContain('data-step');
    },
  );

  test('A62 answers 404 to a form for an unknown session', async () => {
    const service = await startService();
    const payor = new HttpPayor(service, 'no-such-session');
    const answer = await payor.post({ token: 'x' });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('This session is over.');
  });
});
