import { describe, expect, test } from '@jest/globals';
import { ALL_KINDS, create, expectRefusal } from '../../support/sandbox/api/creating';
import { eft, eTransfer, geft, startService } from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A10, are rules of the contract (docs/contract.md).

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a session', () => {
  test.each(ALL_KINDS)('A10 %s is created with an id and its reference', async (_kind, request) => {
    const { status, body } = await create(request.with('referenceId', 'order-42'));
    expect(status).toBe(201);
    expect(body).toEqual({ sessionId: expect.stringMatching(UUID), referenceId: 'order-42' });
  });

  test.each(ALL_KINDS)('A10 %s without a reference has the reference null', async (_kind, request) => {
    expect((await create(request.without('referenceId'))).body['referenceId']).toBeNull();
  });

  test.each([undefined, null, 'eft', 'GEFT', 'e-transfer', 1])('A11 type %p is refused', async (type) => {
    expectRefusal(await create(eft().with('type', type)), 'type');
  });

  test.each([undefined, null, 'debit', 'BOTH'])('A11 direction %p is refused', async (direction) => {
    expectRefusal(await create(eft().with('direction', direction)), 'direction');
  });

  test('A11 a regular or guaranteed EFT is DEBIT only; an e-Transfer may also be CREDIT', async () => {
    expectRefusal(await create(eft().with('direction', 'CREDIT')), 'direction');
    expectRefusal(await create(geft().with('direction', 'CREDIT')), 'direction');
    expect((await create(eTransfer().with('direction', 'CREDIT'))).status).toBe(201);
  });

  test('A12 the currency is CAD, and may be omitted; other currencies are refused', async () => {
    const service = await startService();
    for (const request of [eft(), eft().with('currency', 'CAD')]) {
      expect((await service.details(await service.open(request))).body['currency']).toBe('CAD');
    }
    for (const currency of ['USD', 'cad', '', 1]) {
      expectRefusal(await service.create(eft().with('currency', currency)), 'currency');
    }
  });
});

describe('the amount of a create request', () => {
  const anyAmount = { ...DEFAULT_CLIENT, minimumAmount: 0.01 };

  test('A13 is a positive JSON number with at most two decimals, or null', async () => {
    const service = await startService({ clients: [anyAmount] });
    for (const amount of ['0.01', '0.07', '1.15', '4.35', '1e-2', '10000', '1.10', 'null']) {
      const body = JSON.stringify(eft().with('amount', 'AMOUNT')).replace('"AMOUNT"', amount);
      expect([amount, (await service.create(undefined, { body })).status]).toEqual([amount, 201]);
    }
    for (const amount of ['0.005', '1.001', '0', '-1', '1e999', '"25"', 'true', '[25]']) {
      const body = JSON.stringify(eft().with('amount', 'AMOUNT')).replace('"AMOUNT"', amount);
      expectRefusal(await service.create(undefined, { body }), 'amount');
    }
  });

  test('A13 an omitted amount is null until the payor enters it', async () => {
    const service = await startService();
    const sessionId = await service.open(eft().without('amount'));
    expect((await service.details(sessionId)).body['amount']).toBeNull();
    service.sandbox.act(sessionId, { type: 'amountEntered', amount: 12.5 });
    expect((await service.details(sessionId)).body['amount']).toBe(12.5);
  });

  test.each(ALL_KINDS)(
    'A14 %s: may equal the client’s minimum or maximum, but must not be outside them',
    async (_kind, request) => {
      const service = await startService({
        clients: [{ ...DEFAULT_CLIENT, minimumAmount: 10, maximumAmount: 20 }],
      });
      for (const amount of [10, 20])
        expect((await service.create(request.with('amount', amount))).status).toBe(201);
      for (const amount of [9.99, 20.01]) {
        expectRefusal(await service.create(request.with('amount', amount)), 'amount');
      }
    },
  );

  test.each(ALL_KINDS)(
    'A14 %s: a minimum or maximum in the request replaces the client’s, unless it is null',
    async (_kind, request) => {
      const service = await startService({
        clients: [{ ...DEFAULT_CLIENT, minimumAmount: 10, maximumAmount: 20 }],
      });
      const lower = request.with('options.limits', { minimumAmount: 2, maximumAmount: null });
      expect((await service.create(lower.with('amount', 2))).status).toBe(201);
      expectRefusal(await service.create(lower.with('amount', 1.99)), 'amount');
      expectRefusal(await service.create(lower.with('amount', 20.01)), 'amount');
      const higher = request.with('options.limits', { maximumAmount: 30 });
      expect((await service.create(higher.with('amount', 30))).status).toBe(201);
      expectRefusal(await service.create(higher.with('amount', 9.99)), 'amount');
    },
  );

  test('A14 a minimum above the request’s or the client’s maximum is refused', async () => {
    expectRefusal(
      await create(eft().with('options.limits', { minimumAmount: 3, maximumAmount: 2 })),
      'options.limits',
    );
    expectRefusal(await create(eft().with('options.limits', { minimumAmount: 10_001 })), 'options.limits');
  });
});
