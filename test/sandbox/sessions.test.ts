import { describe, expect, test } from '@jest/globals';
import { DEFAULT_CLIENT, type PlainAction, type SandboxOptions } from '../../sandbox';
import {
  anotherClient,
  bearer,
  eft,
  eTransfer,
  expectProblem,
  geft,
  JSON_TYPE,
  startService,
  type Service,
} from './support';

const MINUTE_MS = 60_000;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** A session driven to Completed/EFT0302. */
async function openUnsigned(options?: SandboxOptions): Promise<[Service, string]> {
  const service = await startService(options);
  const sessionId = await service.open(eft());
  service.sandbox.act(sessionId, 'bankValidated');
  return [service, sessionId];
}

describe('the details', () => {
  test.each([
    ['EFT', eft()],
    ['GEFT', geft()],
  ])('A50 %s shows the session and its code', async (_kind, request) => {
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
    'A50 an option names the code %s',
    async (codeMember) => {
      const service = await startService({ codeMember });
      const { body } = await service.details(await service.open(eft()));
      const names = ['statusDetails', 'statusDetail', 'statusDetailCode'];
      expect(names.filter((name) => name in body)).toEqual([codeMember]);
      expect(body[codeMember]).toBe('EFT0101');
    },
  );

  test('A51 shows when it was created, its step, options and destination', async () => {
    const service = await startService();
    const { body } = await service.details(await service.open(eft()));
    expect(body).toMatchObject({
      createdAt: '2026-01-01T00:00:00.000Z',
      step: 'Created',
      options: { guarantee: { enable: false } },
      payee: { account: { institutionCode: '001', transitNumber: '00019', accountNumber: '****6543' } },
    });
  });

  test('A51 shows the payor’s account, masked, once it is captured, and no personal data', async () => {
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

  test('A52 the status needs the session id alone', async () => {
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

  test('A53 unknown, malformed and another client’s session are answered alike', async () => {
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

  test.each<PlainAction>(['completed', 'loginFailed', 'expired', 'bankValidated'])(
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

  test('A55 the second of two is answered 400, or 409 by option', async () => {
    for (const cancelEndedStatus of [400, 409] as const) {
      const service = await startService({ cancelEndedStatus });
      const sessionId = await service.open(eft());
      expect((await service.cancel(sessionId)).status).toBe(200);
      expectProblem(await service.cancel(sessionId), cancelEndedStatus);
      expect((await service.details(sessionId)).body['statusDetails']).toBe('EFT0501');
    }
  });

  test('A55 an option lets it end Completed/EFT0302', async () => {
    const [service, sessionId] = await openUnsigned({ cancellableWhileUnsigned: true });
    expect((await service.cancel(sessionId)).body).toMatchObject({ statusDetails: 'EFT0501' });
    expect(service.sandbox.act(sessionId, 'padSigned')).toEqual({ accepted: false, reason: 'ended' });
  });

  test('A58 that races a completion: exactly one wins', async () => {
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

  test('A58 many at once: exactly one wins', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.cancel(sessionId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('the states', () => {
  const states = [
    ['payorStarted', 'Initiated', 'EFT0101'],
    ['bankValidated', 'Completed', 'EFT0302'],
    ['completed', 'Completed', 'EFT0301'],
    ['loginFailed', 'Failed', 'EFT0401'],
    ['identityFailed', 'Failed', 'EFT0403'],
    ['insufficientFunds', 'Failed', 'EFT0404'],
    ['expired', 'Expired', 'EFT0601'],
  ] as const;

  test.each(states)('A56 after %s a session is %s/%s', async (action, status, code) => {
    const service = await startService();
    for (const request of [eft(), geft()]) {
      const sessionId = await service.open(request);
      expect(service.sandbox.act(sessionId, action).accepted).toBe(true);
      expect((await service.details(sessionId)).body).toMatchObject({ status, statusDetails: code });
    }
  });

  test('A56 signing moves EFT0302 to EFT0301, however late', async () => {
    const [service, sessionId] = await openUnsigned();
    service.clock.advance(30 * 24 * 60 * MINUTE_MS);
    expect((await service.details(sessionId)).body['statusDetails']).toBe('EFT0302');
    service.sandbox.act(sessionId, 'padSigned');
    expect((await service.details(sessionId)).body).toMatchObject({
      status: 'Completed',
      statusDetails: 'EFT0301',
    });
  });

  test('A57 a session expires after 15 minutes without the payor', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    service.clock.advance(15 * MINUTE_MS - 1);
    expect((await service.status(sessionId)).body['status']).toBe('Initiated');
    service.clock.advance(1);
    expect((await service.status(sessionId)).body).toMatchObject({
      status: 'Expired',
      statusDetails: 'EFT0601',
    });
  });

  test('A57 the payor’s activity puts the idle expiry off; polling does not', async () => {
    const service = await startService();
    const [active, polled] = [await service.open(eft()), await service.open(eft())];
    service.clock.advance(10 * MINUTE_MS);
    service.sandbox.act(active, 'touched');
    await service.details(polled);
    service.clock.advance(10 * MINUTE_MS);
    expect((await service.status(active)).body['status']).toBe('Initiated');
    expect((await service.status(polled)).body['status']).toBe('Expired');
  });

  test('A57 a session expires at 24 hours, whatever the payor does', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    for (let hour = 0; hour < 25; hour += 0.2) {
      service.clock.advance(12 * MINUTE_MS);
      service.sandbox.act(sessionId, 'touched');
    }
    expect(service.sandbox.session(sessionId)?.state.endedAtMs).toBe(Date.UTC(2026, 0, 2));
  });

  test('A57 options set both times', async () => {
    const service = await startService({ idleExpiryMs: 1_000, absoluteExpiryMs: 1_500 });
    const sessionId = await service.open(eft());
    service.clock.advance(900);
    service.sandbox.act(sessionId, 'touched');
    service.clock.advance(600);
    expect((await service.status(sessionId)).body['status']).toBe('Expired');
  });

  test('A58 an expired session cannot be completed, even when no one looked in between', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    service.clock.advance(15 * MINUTE_MS);
    expect(service.sandbox.act(sessionId, 'completed')).toEqual({ accepted: false, reason: 'ended' });
  });
});
