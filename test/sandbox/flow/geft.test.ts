import { describe, expect, test } from '@jest/globals';
import { LOGIN, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import {
  eft,
  geft,
  PAYEE,
  startService,
  type RequestBuilder,
} from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A39, are rules of the contract (docs/contract.md).

describe('the To Account line', () => {
  const label = 'Maple Shop, chequing';

  test.each<[string, RequestBuilder, string | null]>([
    [
      'with a label in payee.account.accountLabel',
      geft().with('payee', PAYEE).with('payee.account.accountLabel', label),
      label,
    ],
    [
      'with a label in payee.accountLabel',
      geft().with('payee', PAYEE).with('payee.accountLabel', label),
      label,
    ],
    ['with a label in accountLabel', geft().with('accountLabel', label), label],
    ['with only a payee’s account', geft().with('payee', PAYEE), '002 ****4567'],
    ['without a payee (hidden)', geft(), null],
    ['of a regular EFT (hidden)', eft(), null],
  ])('A39 %s is the same on every step', async (_case, request, shown) => {
    const payor = await payorOf(await startService(), request);
    const expectLine = () => {
      const line = /<dt>To account<\/dt>\s*<dd>(.*?)<\/dd>/s.exec(payor.text)?.[1] ?? null;
      expect(line).toBe(shown);
    };
    await payor.open();
    expectLine();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'chequing' }, {}]) {
      await payor.submit(fields);
      expectLine();
    }
    expect(payor.text).not.toContain('0001234567');
  });
});

// The login decides about the account holder. `payor` is the payor. `initial` has the payor's first name as an
// initial only. `moved` has another address, and `other` another name.
describe('the stricter identity match', () => {
  test.each([
    ['payor', 'Initiated EFT0101 25'],
    ['initial', 'Failed EFT0403 25'],
    ['moved', 'Failed EFT0403 25'],
    ['other', 'Failed EFT0403 25'],
  ])('A56 of a guaranteed EFT with the login %s leads to %s', async (username, state) => {
    const service = await startService();
    const payor = await payorOf(service, geft());
    await payor.goTo('login');
    await payor.submit({ ...LOGIN, username });
    await payor.submit({ account: 'chequing' });
    expect(await payor.state()).toBe(state);
    expect(service.sandbox.outbox.length).toBe(state.startsWith('Failed') ? 1 : 0);
  });
});

describe('a preset amount of a guaranteed EFT', () => {
  const FORGED = [
    { amount: '1.00' },
    { amount: '1.00', requestedAmount: '1', 'state.amount': '1', offer: '1' },
    { amount: '26', amountModification: 'true' },
  ];

  test.each([true, false, undefined])(
    'A40 never changes when amountModification is %s, even if forms with another amount are posted',
    async (allowed) => {
      const payor = await payorOf(await startService(), geft().with('options.amountModification', allowed));
      for (const forged of FORGED) {
        await payor.open();
        for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'savings' }]) {
          await payor.submit({ ...fields, ...forged });
        }
        expect(payor.text).toContain('cannot be changed');
        expect(payor.text).not.toContain('name="amount"');
        await payor.back();
      }
      await payor.submit({ account: 'savings', amount: '1' });
      const query = `${payor.path}&amount=1.00`;
      const body = new URLSearchParams({ token: payor.token, action: 'continue', amount: '1.00' }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await payor.service.send(query, { method: 'POST', headers, body });
      expect(await payor.state()).toBe('Completed EFT0302 25');
      await payor.open();
      await payor.submit({ ...SIGNED, amount: '1.00' });
      expect(await payor.state()).toBe('Completed EFT0301 25');
    },
  );

  test('A40 gets no next best offer, even if the amount is large, and is guaranteed', async () => {
    const payor = await payorOf(await startService(), geft().with('amount', 2_400));
    await payor.goTo('amount');
    expect(payor.text).toContain('guaranteed to the recipient');
    await payor.submit();
    expect(await payor.state()).toBe('Completed EFT0302 2400');
  });

  test('A41 with failWithoutGuarantee, fails with EFT0402 if it is too large for the guarantee', async () => {
    const service = await startService({ failWithoutGuarantee: true });
    const payor = await payorOf(service, geft().with('amount', 2_400));
    await payor.goTo('amount');
    await payor.submit();
    expect(await payor.state()).toBe('Failed EFT0402 2400');
    expect(payor.text).toContain('No guarantee is available');
  });
});

describe('an amount that the payor enters', () => {
  const open = geft().without('amount');

  async function enter(request: RequestBuilder, amount: string, options = {}) {
    const payor = await payorOf(await startService(options), request);
    await payor.goTo('account');
    await payor.submit({ account: 'chequing' });
    return payor.submit({ amount });
  }

  test('A40 gets no offer up to the limit of the account’s guarantee', async () => {
    expect(await (await enter(open, '500')).state()).toBe('Completed EFT0302 500');
  });

  test('A40 gets a next best offer above the limit of the guarantee, and the payor can accept it', async () => {
    const payor = await enter(open, '500.01');
    expect(payor.heading).toBe('Another amount is available');
    expect(payor.text).toContain('$500.00 CAD');
    expect(await payor.state()).toBe('Initiated EFT0101 null');
    await payor.submit({ amount: '9000', offer: '9000' });
    expect(await payor.state()).toBe('Completed EFT0302 500');
  });

  test('A40 can be entered again if the payor refuses the next best offer', async () => {
    const payor = await enter(open, '600');
    expect((await payor.back()).heading).toBe('Enter the amount');
    await payor.submit({ amount: '40' });
    expect(await payor.state()).toBe('Completed EFT0302 40');
  });

  test('A14, A40 gets no offer if the guarantee’s limit is below the request’s minimum', async () => {
    const request = open.with('options.limits', { minimumAmount: 600, maximumAmount: 900 });
    const payor = await enter(request, '700');
    expect(payor.problems).toEqual([
      'This amount cannot be guaranteed from this account. Enter another amount, or go back and choose another account.',
    ]);
    await payor.back();
    await payor.submit({ account: 'savings' });
    await payor.submit({ amount: '700' });
    expect(await payor.state()).toBe('Completed EFT0302 700');
  });

  test('A41 with failWithoutGuarantee, fails with EFT0402 if there is no guarantee and no offer', async () => {
    const request = open.with('options.limits', { minimumAmount: 600, maximumAmount: 900 });
    const payor = await enter(request, '700', { failWithoutGuarantee: true });
    expect(await payor.state()).toBe('Failed EFT0402 null');
  });

  test('A56 fails with EFT0404 before any offer if the balance is too low', async () => {
    expect(await (await enter(open, '2600')).state()).toBe('Failed EFT0404 null');
  });

  test('A40 gets no offer in a regular EFT, which has no guarantee', async () => {
    expect(await (await enter(eft().without('amount'), '600')).state()).toBe('Completed EFT0302 600');
  });
});
