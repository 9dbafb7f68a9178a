import { describe, expect, test } from '@jest/globals';
import { SCENARIOS } from '../../../sandbox';
import { eft, eTransfer, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A45, are rules of the contract (docs/contract.md).

const linked = eTransfer().with('options.notificationPreferences', { sendNetworkLink: true, language: 'FR' });

describe('the link of an e-Transfer request', () => {
  test('A45 is mailed to the payor when sendNetworkLink is true', async () => {
    const service = await startService();
    const sessionId = await service.open(linked);
    expect(service.sandbox.outbox).toEqual([
      {
        sessionId,
        to: 'avery.tremblay@example.com',
        language: 'FR',
        kind: 'networkLink',
        subject: 'Vous avez reçu une demande de paiement',
        text: expect.stringContaining(`ouvrez :\n${service.sandbox.url}/app/?sessionId=${sessionId}\n`),
        link: `${service.sandbox.url}/app/?sessionId=${sessionId}`,
        at: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  test.each(['https://pay.example', 'https://pay.example/'])(
    'A45 starts with the public URL %s',
    async (publicUrl) => {
      const service = await startService({ publicUrl });
      const sessionId = await service.open(linked);
      expect(service.sandbox.outbox[0]?.link).toBe(`https://pay.example/app/?sessionId=${sessionId}`);
    },
  );

  test('A45 is not mailed when sendNetworkLink is false or omitted', async () => {
    const service = await startService();
    await service.open(eTransfer());
    await service.open(eTransfer().with('options.notificationPreferences.sendNetworkLink', false));
    await service.open(eft().with('options.notificationPreferences.sendNetworkLink', true));
    expect(service.sandbox.outbox).toEqual([]);
  });
});

describe('the statuses of an e-Transfer', () => {
  const endings = {
    'sandbox-completes': 'Completed',
    'sandbox-returned': 'Completed',
    'sandbox-disputed': 'Completed',
    'sandbox-awaits-signature': 'Completed',
    'sandbox-signs-later': 'Completed',
    'sandbox-login-failed': 'Failed',
    'sandbox-identity-failed': 'Failed',
    'sandbox-insufficient-funds': 'Failed',
    'sandbox-no-guarantee': 'Failed',
    'sandbox-expires': 'Expired',
    'sandbox-stays-initiated': 'Initiated',
  };

  test('A46 are tested below for every scenario', () => {
    expect(SCENARIOS.map(({ id }) => id).sort()).toEqual(Object.keys(endings).sort());
  });

  test.each(Object.entries(endings))(
    'A46 in the scenario %s end with %s, and never have a code',
    async (scenario, status) => {
      const service = await startService();
      const sessionId = await service.open(eTransfer(scenario).without('amount'));
      expect((await service.details(sessionId)).body).toMatchObject({ status: 'Initiated' });
      service.clock.advance(60_000);
      const replies = [await service.details(sessionId), await service.status(sessionId)];
      for (const { body } of replies) {
        expect(body).toMatchObject({ status });
        expect(body).not.toHaveProperty('statusDetails');
      }
    },
  );

  test('A46 a cancelled e-Transfer has no code', async () => {
    const service = await startService();
    const { status, body } = await service.cancel(await service.open(eTransfer()));
    expect([status, body['status'], 'statusDetails' in body]).toEqual([200, 'Cancelled', false]);
  });
});

describe('the outbox', () => {
  test.each([
    ['sandbox-completes', 'completed', 'Your payment is complete'],
    ['sandbox-awaits-signature', 'awaitingSignature', 'Sign your pre-authorized debit agreement'],
    ['sandbox-identity-failed', 'failed', 'Your payment could not be made'],
    ['sandbox-expires', 'expired', 'Your payment session has expired'],
  ])(
    'A72 has the mail about the new state in the scenario %s, with the time of the change',
    async (scenario, kind, subject) => {
      const service = await startService();
      const sessionId = await service.open(eft(scenario));
      service.clock.advance(60_000);
      expect(service.sandbox.outbox).toMatchObject([
        {
          sessionId,
          to: 'avery.tremblay@example.com',
          language: 'EN',
          kind,
          subject,
          at: '2026-01-01T00:00:02.000Z',
        },
      ]);
    },
  );

  test('A72 has mails in French if the session asks for French', async () => {
    const service = await startService();
    const sessionId = await service.open(eft().with('options.notificationPreferences.language', 'FR'));
    await service.cancel(sessionId);
    expect(service.sandbox.outbox.map(({ subject }) => subject)).toEqual(['Votre paiement a été annulé']);
  });

  test('A72 keeps only the newest mails, up to maxMails', async () => {
    const service = await startService({ maxMails: 2 });
    const sessions = [await service.open(linked), await service.open(linked), await service.open(linked)];
    expect(service.sandbox.outbox.map(({ sessionId }) => sessionId)).toEqual(sessions.slice(1));
  });
});
