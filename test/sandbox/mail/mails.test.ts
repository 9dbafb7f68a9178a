import { describe, expect, test } from '@jest/globals';
import { eft, eTransfer, startService } from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A45, are rules of the contract (docs/contract.md).

const deposit = (referenceId?: string) => eTransfer(referenceId).with('direction', 'CREDIT');
const linked = eTransfer('invoice-7').with('options.notificationPreferences.sendNetworkLink', true);
const inFrench = (request: ReturnType<typeof eft>) =>
  request.with('options.notificationPreferences.language', 'FR');

/** Replaces the no-break spaces in amounts by spaces. */
const withPlainSpaces = (text: string | undefined) => text?.replaceAll(/[\u00A0\u202F]/g, ' ');

describe('the text of a mail', () => {
  test('A45, A72 asks for the payment, with amount, link and reference', async () => {
    const service = await startService();
    const sessionId = await service.open(linked);
    expect(withPlainSpaces(service.sandbox.outbox[0]?.text)).toBe(
      `Hello Avery,

You have a request for a payment of $25.00 CAD. To answer it, open:
${service.sandbox.url}/app/?sessionId=${sessionId}

Reference: invoice-7
`,
    );
  });

  test('A72 is in French if the session asks for French', async () => {
    const service = await startService();
    const sessionId = await service.open(inFrench(linked));
    expect(withPlainSpaces(service.sandbox.outbox[0]?.text)).toBe(
      `Bonjour Avery,

Vous avez reçu une demande de paiement de 25,00 $ CAD. Pour y répondre, ouvrez :
${service.sandbox.url}/app/?sessionId=${sessionId}

Référence : invoice-7
`,
    );
  });

  test.each([
    ['sandbox-completes', /is complete\./, /est effectué/],
    ['sandbox-awaits-signature', /sign the agreement[^]*sessionId=/, /signer l’accord[^]*sessionId=/],
    ['sandbox-identity-failed', /could not be made/, /n’a pas pu être effectué/],
    ['sandbox-expires', /in time/, /à temps/],
  ])(
    'A72 about the end of the scenario %s is in the session’s language',
    async (scenario, english, french) => {
      const service = await startService();
      await service.open(eft(scenario));
      await service.open(inFrench(eft(scenario)));
      service.clock.advance(60_000);
      const [first, second] = service.sandbox.outbox;
      expect(first?.text).toMatch(english);
      expect(second?.text).toMatch(french);
    },
  );

  test('A11, A45, A72 for a CREDIT, asks the recipient to accept a deposit, in the session’s language', async () => {
    const service = await startService();
    const request = linked.with('direction', 'CREDIT');
    const links = [await service.open(request), await service.open(inFrench(request))].map(
      (sessionId) => `${service.sandbox.url}/app/?sessionId=${sessionId}`,
    );
    expect(service.sandbox.outbox.map(({ subject, text }) => [subject, withPlainSpaces(text)])).toEqual([
      [
        'You have been sent a deposit',
        `Hello Avery,

You have been sent a deposit of $25.00 CAD. To accept it, open:
${links[0]}

Reference: invoice-7
`,
      ],
      [
        'Un dépôt vous a été envoyé',
        `Bonjour Avery,

Un dépôt de 25,00 $ CAD vous a été envoyé. Pour l’accepter, ouvrez :
${links[1]}

Référence : invoice-7
`,
      ],
    ]);
  });

  test.each([
    ['sandbox-completes', 'Your deposit is complete', 'Votre dépôt est effectué'],
    ['sandbox-login-failed', 'Your deposit could not be made', 'Votre dépôt n’a pas pu être effectué'],
    ['sandbox-expires', 'Your deposit has expired', 'Votre dépôt a expiré'],
  ])(
    'A11, A72 about the end of the scenario %s calls a CREDIT a deposit',
    async (scenario, english, french) => {
      const service = await startService();
      await service.open(deposit(scenario));
      await service.open(inFrench(deposit(scenario)));
      service.clock.advance(60_000);
      const mails = service.sandbox.outbox;
      expect(mails.map(({ subject }) => subject)).toEqual([english, french]);
      const paragraphs = mails.map(({ text }) => withPlainSpaces(text)?.split('\n\n')[1]);
      expect(paragraphs).toEqual([
        expect.stringContaining('Your deposit of $25.00 CAD '),
        expect.stringContaining('Votre dépôt de 25,00 $ CAD '),
      ]);
    },
  );

  test('A72 about a cancelled payment leaves out amount and reference if the payment has none', async () => {
    const service = await startService();
    await service.cancel(await service.open(eft().without('amount').without('referenceId')));
    expect(service.sandbox.outbox[0]?.text).toBe(
      'Hello Avery,\n\nYour payment was cancelled. No money was moved.\n',
    );
  });

  test('A72 shows markup in a name as text', async () => {
    const service = await startService();
    const name = '<img src=x onerror=alert(1)>"&';
    await service.cancel(await service.open(eft().with('payor.firstName', name)));
    expect(service.sandbox.outbox[0]?.text).toContain(`Hello ${name},`);
    const { text } = await service.send('/outbox');
    expect(text).toContain('Hello &#60;img src=x onerror=alert(1)&#62;&#34;&#38;,');
    expect(text).not.toContain('<img');
  });

  test('A11, A72 about a cancelled CREDIT calls the payment a deposit', async () => {
    const service = await startService();
    await service.cancel(await service.open(deposit().without('amount')));
    expect(service.sandbox.outbox[0]?.text).toBe(
      'Hello Avery,\n\nYour deposit was cancelled. No money was moved.\n',
    );
  });

  test('links to the sandbox’s current address, even if the sandbox has moved to another port since', async () => {
    const service = await startService();
    await service.open(linked);
    await service.sandbox.close();
    await service.sandbox.listen();
    const [mail] = service.sandbox.outbox;
    expect(mail?.link).toMatch(service.sandbox.url);
    expect(mail?.text).toContain(mail?.link);
  });
});
