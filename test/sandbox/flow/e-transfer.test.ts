import { describe, expect, test } from '@jest/globals';
import { HttpPayor, LOGIN, payorOf } from '../../support/sandbox/flow/payor';
import { eTransfer, geft, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A46, are rules of the contract (docs/contract.md).

const REQUEST = eTransfer();

/** Takes the payor to the page on which the payor accepts the request. */
async function toAccept(payor: HttpPayor, login: string = LOGIN.username): Promise<HttpPayor> {
  await payor.open();
  await payor.submit();
  await payor.submit({ institution: 'fleuve' });
  await payor.submit({ ...LOGIN, username: login });
  expect(payor.heading).toBe('Review the request');
  return payor;
}

describe('the flow of an e-Transfer', () => {
  test('A46, A60 has four steps and no agreement, and ends Completed without a code', async () => {
    const payor = await toAccept(await payorOf(await startService(), REQUEST));
    expect(payor.text).toContain('Step 4 of 4');
    await payor.submit({ account: 'chequing' });
    expect(payor.heading).toBe('Thank you');
    expect(await payor.state()).toBe('Completed undefined 25');
  });

  test('A46 asks for account and amount on one page, which shows the problems of both', async () => {
    const payor = await toAccept(await payorOf(await startService(), REQUEST.without('amount')));
    await payor.submit({ amount: '0' });
    expect(payor.problems).toEqual([
      'Choose an account.',
      'Enter an amount from $1.00 CAD to $10,000.00 CAD.',
    ]);
    await payor.submit({ account: 'savings', amount: '-' });
    expect(payor.problems.length).toBe(1);
    expect(payor.text).toMatch(/value="savings"\s+checked/);
    await payor.submit({ account: 'savings', amount: '12,50' });
    expect(await payor.state()).toBe('Completed undefined 12.5');
  });

  test.each([
    ['initial', 'chequing', 'Completed undefined 25'],
    ['other', 'chequing', 'Failed undefined 25'],
    ['payor', 'student', 'Failed undefined 25'],
  ])('A46 with the test login %s and the account %s ends as %s', async (login, account, state) => {
    const payor = await toAccept(await payorOf(await startService(), REQUEST), login);
    await payor.submit({ account });
    expect(await payor.state()).toBe(state);
  });

  test('A46 shows a page for a failed e-Transfer, although there is no code', async () => {
    const payor = await toAccept(await payorOf(await startService(), REQUEST), 'other');
    await payor.submit({ account: 'chequing' });
    expect(payor.heading).toBe('The payment could not be made');
    expect(payor.text).toContain('Your bank did not approve it.');
  });

  test('A15, A46 compares the payor’s name more strictly for a guaranteed e-Transfer', async () => {
    const guaranteed = geft().with('type', 'e-Transfer');
    const payor = await toAccept(await payorOf(await startService(), guaranteed), 'initial');
    await payor.submit({ account: 'chequing' });
    expect(await payor.state()).toBe('Failed undefined 25');
  });

  test('A11, A46 needs no balance for a CREDIT, which pays the payor', async () => {
    const payor = await toAccept(await payorOf(await startService(), REQUEST.with('direction', 'CREDIT')));
    expect(payor.text).toContain('Deposit');
    expect(payor.text).toContain('>Leave without the deposit</button>');
    await payor.submit({ account: 'student' });
    expect(await payor.state()).toBe('Completed undefined 25');
    expect(payor.text).toContain('$25.00 CAD is on its way to your account.');
  });

  test('A45 starts at the mailed link', async () => {
    const service = await startService();
    const linked = REQUEST.with('options.notificationPreferences', { sendNetworkLink: true });
    const { sessionId } = await payorOf(service, linked);
    const link = service.sandbox.outbox[0]?.link ?? '';
    expect(link).toBe(`${service.sandbox.url}${new HttpPayor(service, sessionId).path}`);
    expect((await service.send(link.slice(service.sandbox.url.length))).status).toBe(200);
  });
});
