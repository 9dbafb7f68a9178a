import { describe, expect, test } from '@jest/globals';
import {
  anotherClient,
  eft,
  eTransfer,
  expectProblem,
  geft,
  PAYEE,
  startService,
  type RequestBuilder,
} from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A25, are rules of the contract (docs/contract.md).

async function statusOf(request: RequestBuilder): Promise<number> {
  return (await (await startService()).create(request)).status;
}

const { address } = geft().value['payor'] as { readonly address: Readonly<Record<string, string>> };

describe('the payor’s address', () => {
  test.each(Object.keys(address))('A25 without %s is refused, for a session of any kind', async (name) => {
    const service = await startService();
    for (const request of [eft(), geft(), eTransfer()]) {
      const answer = await service.create(request.with('payor.address', { ...address, [name]: undefined }));
      expect(Object.keys(expectProblem(answer, 400))).toEqual([`payor.address.${name}`]);
    }
  });

  test.each(['addressLine1', 'city'])('A25 %s has at most 100 characters', async (name) => {
    expect(await statusOf(geft().with(`payor.address.${name}`, 'é'.repeat(100)))).toBe(201);
    expect(await statusOf(geft().with(`payor.address.${name}`, 'é'.repeat(101)))).toBe(400);
  });

  test('A25 the second line and the unit may be null', async () => {
    const request = geft().with('payor.address', { ...address, addressLine2: null, unit: null });
    expect(await statusOf(request)).toBe(201);
  });

  test.each(['AB', 'BC', 'MB', 'NB', 'NL', 'NT', 'NS', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT'])(
    'A26 province %s passes',
    async (province) => {
      expect(await statusOf(geft().with('payor.address.province', province))).toBe(201);
    },
  );

  test.each([
    ['province', 'XX', 400],
    ['province', 'on', 400],
    ['country', 'US', 400],
    ['country', 'ca', 400],
    ['postalCode', 'M5H2N2', 201],
    ['postalCode', 'h2eh2e', 201],
    ['postalCode', '123456', 201],
    ['postalCode', 'M5H 2N2', 400],
    ['postalCode', 'M5H2N', 400],
    ['postalCode', 'M5H2N2\n', 400],
    ['postalCode', 'M5H2N\t', 400],
  ])('A26 %s %p is answered %i', async (name, value, status) => {
    expect(await statusOf(geft().with(`payor.address.${name}`, value))).toBe(status);
  });

  test('A27 is required for a guaranteed EFT, and optional for a regular EFT', async () => {
    expect(await statusOf(geft().without('payor.address'))).toBe(400);
    expect(await statusOf(geft().with('payor.address', null))).toBe(400);
    expect(await statusOf(eft().without('payor.address'))).toBe(201);
  });
});

describe('a regular EFT', () => {
  test('A30 needs the RegularEft feature; a guaranteed EFT and an e-Transfer do not', async () => {
    const service = await startService({ clients: [{ ...DEFAULT_CLIENT, features: [] }] });
    expectProblem(await service.create(eft()), 403);
    expect((await service.create(geft())).status).toBe(201);
    expect((await service.create(eTransfer())).status).toBe(201);
  });

  test('A30 without the feature is answered 400, not 403, if the request is incomplete', async () => {
    const service = await startService({ clients: [{ ...DEFAULT_CLIENT, features: [] }] });
    expectProblem(await service.create({}), 400);
    expectProblem(await service.create(eft().without('options.guarantee')), 400);
  });

  test('A31 is refused with a payee, and accepted with the payee null', async () => {
    expect(await statusOf(eft().with('payee', PAYEE))).toBe(400);
    expect(await statusOf(eft().with('payee', {}))).toBe(400);
    expect(await statusOf(eft().with('payee', null))).toBe(201);
  });

  test.each(['', 'a'.repeat(37), 'a b', 'a_b', 'a\n', 'é', 'a/b'])(
    'A32 reference %p is refused',
    async (referenceId) => {
      expect(await statusOf(eft(referenceId))).toBe(400);
    },
  );

  test.each(['a', 'A-1-z', '-', '0'.repeat(36), null])('A32 reference %p passes', async (referenceId) => {
    expect(await statusOf(eft().with('referenceId', referenceId))).toBe(201);
  });

  test('A33 settles to the client’s configured account', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    expect(service.sandbox.session(sessionId)?.destination).toEqual(DEFAULT_CLIENT.settlementAccount);
  });
});

describe('a guaranteed EFT', () => {
  const clientWithoutAccount = anotherClient({ settlementAccount: null });

  test('A35 settles to its payee’s account, or without a payee to the client’s account', async () => {
    const service = await startService();
    const destinations = [geft().with('payee', PAYEE), geft(), geft().with('payee', null)].map(
      async (request) => service.sandbox.session(await service.open(request))?.destination,
    );
    const { settlementAccount } = DEFAULT_CLIENT;
    expect(await Promise.all(destinations)).toEqual([PAYEE.account, settlementAccount, settlementAccount]);
  });

  test('A35 without a payee, of a client without an account, is answered 400 or with missingAccountStatus', async () => {
    const clients = [clientWithoutAccount];
    const service = await startService({ clients });
    const answer = await service.create(geft(), { client: clientWithoutAccount });
    expect(Object.keys(expectProblem(answer, 400))).toEqual(['payee']);
    expect((await service.create(geft().with('payee', PAYEE), { client: clientWithoutAccount })).status).toBe(
      201,
    );
    const option = await startService({ clients, missingAccountStatus: 422 });
    expectProblem(await option.create(geft(), { client: clientWithoutAccount }), 422);
    expectProblem(await option.create(geft().without('payor'), { client: clientWithoutAccount }), 400);
  });

  test('A36 shows its destination in the details, with the account number masked', async () => {
    const service = await startService();
    const { body, text } = await service.details(await service.open(geft().with('payee', PAYEE)));
    expect(body['payee']).toMatchObject({
      account: { institutionCode: '002', transitNumber: '00011', accountNumber: '****4567' },
    });
    expect(text).not.toContain(PAYEE.account.accountNumber);
  });

  test.each([
    ['accountNumber', '1234567', 201],
    ['accountNumber', '000000000000', 201],
    ['accountNumber', '123456', 400],
    ['accountNumber', '1234567890123', 400],
    ['accountNumber', '123456a', 400],
    ['accountNumber', 1234567, 400],
    ['accountNumber', undefined, 400],
    ['transitNumber', '1234', 400],
    ['transitNumber', '123456', 400],
    ['transitNumber', undefined, 400],
    ['institutionCode', '12', 400],
    ['institutionCode', '1234', 400],
    ['institutionCode', undefined, 400],
  ])('A37 payee %s %p is answered %i', async (name, value, status) => {
    expect(await statusOf(geft().with('payee', PAYEE).with(`payee.account.${name}`, value))).toBe(status);
  });

  test('A37 keeps the leading zeros of its payee’s account number', async () => {
    const service = await startService();
    const sessionId = await service.open(geft().with('payee', PAYEE));
    expect(service.sandbox.session(sessionId)?.destination?.accountNumber).toBe('0001234567');
  });

  test.each([geft(), eTransfer()])('A38 a reference has 1 to 100 characters of any kind', async (request) => {
    const service = await startService();
    const referring = (referenceId: string) => service.create(request.with('referenceId', referenceId));
    expect((await referring('Ä b_/\n🍁')).body['referenceId']).toBe('Ä b_/\n🍁');
    expect((await referring('🍁'.repeat(100))).status).toBe(201);
    expectProblem(await referring('a'.repeat(101)), 400);
    expectProblem(await referring(''), 400);
  });

  test.each([
    ['in the payee’s account', 'payee.account.accountLabel'],
    ['in the payee', 'payee.accountLabel'],
    ['in the request', 'accountLabel'],
  ])('A39 shows an account label that is given %s', async (_where, path) => {
    const service = await startService();
    const sessionId = await service.open(geft().with('payee', PAYEE).with(path, 'Rent <3'));
    expect(service.sandbox.session(sessionId)?.toAccount).toBe('Rent <3');
    expect((await service.details(sessionId)).body['payee']).toMatchObject({
      account: { accountLabel: 'Rent <3' },
    });
    expect((await service.send(`/app/?sessionId=${sessionId}`)).text).toContain('Rent &#60;3');
  });

  test('A39 without an account label, the label is made from the payee; without a payee, there is no label', async () => {
    const service = await startService();
    const toAccount = async (request: RequestBuilder) =>
      service.sandbox.session(await service.open(request))?.toAccount;
    expect(await toAccount(geft().with('payee', PAYEE))).toBe('002 ****4567');
    expect(await toAccount(geft())).toBeNull();
  });

  test('A40 keeps a preset amount, even with amountModification: true', async () => {
    const service = await startService();
    const sessionId = await service.open(geft().with('options.amountModification', true));
    const entered = service.sandbox.act(sessionId, { type: 'amountEntered', amount: 30 });
    expect(entered).toEqual({ accepted: false, reason: 'amountFixed' });
    service.sandbox.act(sessionId, 'completed');
    expect((await service.details(sessionId)).body).toMatchObject({ status: 'Completed', amount: 25 });
  });

  test('A40 if the request has no amount, the payor can only enter an amount within the limits', async () => {
    const service = await startService();
    const limits = { minimumAmount: 10, maximumAmount: 20 };
    const sessionId = await service.open(geft().without('amount').with('options.limits', limits));
    for (const amount of [9.99, 20.01, 10.005]) {
      expect(service.sandbox.act(sessionId, { type: 'amountEntered', amount })).toEqual({
        accepted: false,
        reason: 'amountOutOfBounds',
      });
    }
    expect(service.sandbox.act(sessionId, { type: 'amountEntered', amount: 20 }).accepted).toBe(true);
  });

  test('A41 in the scenario sandbox-no-guarantee, ends as Failed/EFT0402, while a regular EFT completes', async () => {
    const service = await startService();
    const [refused, regular] = [
      await service.open(geft('sandbox-no-guarantee')),
      await service.open(eft('sandbox-no-guarantee')),
    ];
    service.clock.advance(2_000);
    expect((await service.details(refused)).body).toMatchObject({
      status: 'Failed',
      statusDetails: 'EFT0402',
    });
    expect((await service.details(regular)).body).toMatchObject({ statusDetails: 'EFT0301' });
  });
});
