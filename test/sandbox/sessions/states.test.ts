import { describe, expect, test } from '@jest/globals';
import { eft, geft, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A56, are rules of the contract (docs/contract.md).

const MINUTE_MS = 60_000;

describe('the states of a session', () => {
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

  test('A56 the payor’s signature moves EFT0302 to EFT0301, even after 30 days', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    service.sandbox.act(sessionId, 'bankValidated');
    service.clock.advance(30 * 24 * 60 * MINUTE_MS);
    expect((await service.details(sessionId)).body['statusDetails']).toBe('EFT0302');
    service.sandbox.act(sessionId, 'padSigned');
    expect((await service.details(sessionId)).body).toMatchObject({
      status: 'Completed',
      statusDetails: 'EFT0301',
    });
  });

  test('A57 a session expires after 15 minutes without an action of the payor', async () => {
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

  test('A57 an action of the payor postpones the idle expiry, and a poll does not', async () => {
    const service = await startService();
    const [active, polled] = [await service.open(eft()), await service.open(eft())];
    service.clock.advance(10 * MINUTE_MS);
    service.sandbox.act(active, 'touched');
    await service.details(polled);
    service.clock.advance(10 * MINUTE_MS);
    expect((await service.status(active)).body['status']).toBe('Initiated');
    expect((await service.status(polled)).body['status']).toBe('Expired');
  });

  test('A57 a session expires after 24 hours, even if the payor is active', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    for (let hour = 0; hour < 25; hour += 0.2) {
      service.clock.advance(12 * MINUTE_MS);
      service.sandbox.act(sessionId, 'touched');
    }
    expect(service.sandbox.session(sessionId)?.state.endedAtMs).toBe(Date.UTC(2026, 0, 2));
  });

  test('A57 the options idleExpiryMs and absoluteExpiryMs set the expiry', async () => {
    const service = await startService({ idleExpiryMs: 1_000, absoluteExpiryMs: 1_500 });
    const sessionId = await service.open(eft());
    service.clock.advance(900);
    service.sandbox.act(sessionId, 'touched');
    service.clock.advance(600);
    expect((await service.status(sessionId)).body['status']).toBe('Expired');
  });

  test('A58 an expired session cannot be completed, even if no call has read it since it expired', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    service.clock.advance(15 * MINUTE_MS);
    expect(service.sandbox.act(sessionId, 'completed')).toEqual({ accepted: false, reason: 'ended' });
  });
});
