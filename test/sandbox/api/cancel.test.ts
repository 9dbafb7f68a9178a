import { describe, expect, test } from '@jest/globals';
import {
  bearer,
  eft,
  eTransfer,
  expectProblem,
  geft,
  JSON_TYPE,
  startService,
} from '../../support/sandbox/requests-to-sandbox';
import type { PlainEvent } from '../../../sandbox/sessions/transitions';

// The numbers in the test names, such as A54, are rules of the contract (docs/contract.md).

describe('a cancel', () => {
  test.each([
    ['EFT', eft()],
    ['GEFT', geft()],
    ['e-Transfer', eTransfer()],
  ])('A54 ends an open %s session as Cancelled', async (kind, request) => {
    const service = await startService();
    const sessionId = await service.open(request);
    const { status, body } = await service.cancel(sessionId);
    expect(status).toBe(200);
    expect(body).toEqual({
      sessionId,
      referenceId: null,
      status: 'Cancelled',
      ...(kind !== 'e-Transfer' && { statusDetails: 'EFT0501' }),
    });
    expect((await service.details(sessionId)).body['status']).toBe('Cancelled');
  });

  test.each([
    ['{}', 200],
    ['{"reason":"changed my mind"}', 200],
    ['{', 400],
    ['[]', 400],
  ])('A54 with the body %p is answered %i', async (body, status) => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const headers = { ...bearer(await service.token()), ...JSON_TYPE };
    expect((await service.cancel(sessionId, { headers, body })).status).toBe(status);
    expect(service.sandbox.session(sessionId)?.state.status).toBe(status === 200 ? 'Cancelled' : 'Initiated');
  });

  test.each<PlainEvent>(['completed', 'loginFailed', 'expired', 'bankValidated'])(
    'A55 after %s changes nothing and is answered 400',
    async (ending) => {
      const service = await startService();
      const sessionId = await service.open(eft());
      service.sandbox.act(sessionId, ending);
      const before = (await service.details(sessionId)).body;
      expectProblem(await service.cancel(sessionId), 400);
      expect((await service.details(sessionId)).body).toEqual(before);
    },
  );

  test('A55 of a cancelled session is answered 400, or with cancelEndedStatus', async () => {
    for (const cancelEndedStatus of [400, 409] as const) {
      const service = await startService({ cancelEndedStatus });
      const sessionId = await service.open(eft());
      expect((await service.cancel(sessionId)).status).toBe(200);
      expectProblem(await service.cancel(sessionId), cancelEndedStatus);
      expect((await service.details(sessionId)).body['statusDetails']).toBe('EFT0501');
    }
  });

  test('A55 with cancellableWhileUnsigned, ends a session that awaits the payor’s signature (Completed/EFT0302)', async () => {
    const service = await startService({ cancellableWhileUnsigned: true });
    const sessionId = await service.open(eft());
    service.sandbox.act(sessionId, 'bankValidated');
    expect((await service.cancel(sessionId)).body).toMatchObject({ statusDetails: 'EFT0501' });
    expect(service.sandbox.act(sessionId, 'padSigned')).toEqual({ accepted: false, reason: 'ended' });
  });

  test('A58 and a completion arrive together: exactly one of the two takes effect', async () => {
    for (const first of ['cancel', 'completion'] as const) {
      const service = await startService();
      const sessionId = await service.open(eft());
      const hold = service.sandbox.hold('cancel', first === 'cancel' ? 'after' : 'before');
      const cancelling = service.cancel(sessionId);
      await hold.reached;
      const completion = service.sandbox.act(sessionId, 'completed');
      hold.release();
      const { status } = await cancelling;
      expect([status, completion.accepted]).toEqual(first === 'cancel' ? [200, false] : [400, true]);
      expect((await service.details(sessionId)).body['statusDetails']).toBe(
        first === 'cancel' ? 'EFT0501' : 'EFT0301',
      );
    }
  });

  test('A58 succeeds exactly once if eight are sent at once', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.cancel(sessionId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
