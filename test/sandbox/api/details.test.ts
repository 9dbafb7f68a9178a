import { describe, expect, test } from '@jest/globals';
import {
  anotherClient,
  eft,
  expectProblem,
  geft,
  startService,
} from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A50, are rules of the contract (docs/contract.md).

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('the details', () => {
  test.each([
    ['EFT', eft()],
    ['GEFT', geft()],
  ])('A50 of an open %s session show its fields and its code', async (_kind, request) => {
    const service = await startService();
    const sessionId = await service.open(request.with('referenceId', 'order-1'));
    const { status, body } = await service.details(sessionId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      sessionId,
      referenceId: 'order-1',
      status: 'Initiated',
      statusDetails: 'EFT0101',
      type: 'EFT',
      direction: 'DEBIT',
      currency: 'CAD',
      amount: 25,
    });
  });

  test.each(['statusDetails', 'statusDetail', 'statusDetailCode'] as const)(
    'A50 have the code in the member that the option codeMember names: %s',
    async (codeMember) => {
      const service = await startService({ codeMember });
      const { body } = await service.details(await service.open(eft()));
      const names = ['statusDetails', 'statusDetail', 'statusDetailCode'];
      expect(names.filter((name) => name in body)).toEqual([codeMember]);
      expect(body[codeMember]).toBe('EFT0101');
    },
  );

  test('A51 show the session’s creation time, step, options and payee account', async () => {
    const service = await startService();
    const { body } = await service.details(await service.open(eft()));
    expect(body).toMatchObject({
      createdAt: '2026-01-01T00:00:00.000Z',
      step: 'Created',
      options: { guarantee: { enable: false } },
      payee: { account: { institutionCode: '001', transitNumber: '00019', accountNumber: '****6543' } },
    });
  });

  test('A51 show the payor’s masked account after the bank has validated it, and no personal data', async () => {
    const service = await startService();
    const sessionId = await service.open(geft());
    expect((await service.details(sessionId)).body).not.toHaveProperty('payor');
    service.sandbox.act(sessionId, 'bankValidated');
    const { body, text } = await service.details(sessionId);
    expect(body['payor']).toEqual({
      account: { institutionCode: '003', transitNumber: '00042', accountNumber: '****4321' },
    });
    expect(text).not.toMatch(/Tremblay|example\.com|King Street/);
  });

  test('A52 the status endpoint needs no token, only the session id', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('order-2'));
    const { status, body } = await service.status(sessionId);
    expect(status).toBe(200);
    expect(body).toEqual({
      sessionId,
      referenceId: 'order-2',
      amount: 25,
      status: 'Initiated',
      statusDetails: 'EFT0101',
    });
  });

  test('A53 an unknown, a malformed and another client’s session id all get one and the same 404 answer', async () => {
    const other = anotherClient();
    const service = await startService({ clients: [DEFAULT_CLIENT, other] });
    const foreign = await service.open(eft(), other);
    const texts = new Set<string>();
    for (const id of [UNKNOWN, 'x', '%zz', '%ff', 'a%2Fb', '..%2F..', 'x'.repeat(4_000), foreign]) {
      for (const answer of [await service.details(id), await service.cancel(id)]) {
        expectProblem(answer, 404);
        texts.add(answer.text);
      }
    }
    for (const id of [UNKNOWN, 'x', '%zz']) texts.add((await service.status(id)).text);
    expect(texts.size).toBe(1);
    expect((await service.details(foreign, other)).body['status']).toBe('Initiated');
  });
});
