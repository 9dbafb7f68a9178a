import { describe, expect, test } from '@jest/globals';
import { payorOf } from '../../support/sandbox/flow/payor';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// A14 and A16 are rules of the contract (docs/contract.md).

describe('the amount in the hosted flow', () => {
  const open = eft().without('amount').with('options.limits', { minimumAmount: 5, maximumAmount: 50 });

  test('A14 must be within the request’s limits if the payor enters it', async () => {
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

  test('A14 must be within the client’s limits if the request has none', async () => {
    const payor = await payorOf(await startService(), eft().without('amount'));
    await payor.goTo('account');
    await payor.submit({ account: 'savings' });
    await payor.submit({ amount: '0.99' });
    expect(payor.problems).toEqual(['Enter an amount from $1.00 CAD to $10,000.00 CAD.']);
    await payor.submit({ amount: '10 000' });
    expect(await payor.state()).toBe('Completed EFT0302 10000');
  });

  test('A16 can be changed by the payor if the request has an amount and amountModification: true', async () => {
    const payor = await payorOf(await startService(), eft().with('options.amountModification', true));
    await payor.goTo('amount');
    expect(payor.text).toContain('value="25.00"');
    await payor.submit({ amount: '31.50' });
    expect(await payor.state()).toBe('Completed EFT0302 31.5');
  });

  test.each([false, undefined])(
    'A16 cannot be changed by the payor if the request has an amount and amountModification is %s',
    async (allowed) => {
      const payor = await payorOf(await startService(), eft().with('options.amountModification', allowed));
      await payor.goTo('amount');
      expect(payor.text).toContain('cannot be changed');
      expect(payor.text).not.toContain('name="amount"');
      await payor.submit({ amount: '31.50' });
      expect(await payor.state()).toBe('Completed EFT0302 25');
    },
  );
});
