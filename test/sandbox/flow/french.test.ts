import { expect, test } from '@jest/globals';
import { LOGIN, payorOf } from '../../support/sandbox/flow/payor';
import { geft, startService } from '../../support/sandbox/requests-to-sandbox';
import { textsOf } from '../../../sandbox/flow/texts';

// A60 and A62 are rules of the contract (docs/contract.md).

const french = geft().with('options.notificationPreferences.language', 'FR').without('amount');

test('A60 the whole flow is in French if the session asks for French', async () => {
  const payor = await payorOf(await startService(), french);
  const headings: string[] = [(await payor.open()).heading];
  const forms = [
    {},
    { institution: 'boreal' },
    { ...LOGIN, password: 'x' },
    LOGIN,
    { account: 'chequing' },
    { amount: '12,345' },
    { amount: '1 000,50' },
    {},
    { agreed: 'yes', signature: 'Avery' },
  ];
  const problems: string[] = [];
  for (const fields of forms) {
    await payor.submit(fields);
    headings.push(payor.heading);
    problems.push(...payor.problems);
    expect(payor.text).toContain('<html lang="fr">');
  }
  expect([...new Set(headings)]).toEqual([
    'Votre consentement',
    'Choisissez votre banque',
    'Connectez-vous à votre banque',
    'Choisissez un compte',
    'Saisissez le montant',
    'Un autre montant est possible',
    'Signez l’accord de débit préautorisé',
    'Merci',
  ]);
  expect(problems).toEqual([
    'Le nom d’utilisateur ou le mot de passe est incorrect. Il vous reste 2 tentatives.',
    'Saisissez un montant en dollars et en cents, par exemple 25,00.',
  ]);
  expect(payor.text.replace(/\s/g, ' ')).toContain('500,00 $ CAD');
  expect(await payor.state()).toBe('Completed EFT0301 500');
});

test('A62 the page of an ended session is in the session’s language', async () => {
  const service = await startService();
  const payor = await payorOf(service, french);
  await service.cancel(payor.sessionId);
  expect((await payor.open()).heading).toBe('Cette session est terminée.');
});

test('A60 every text of the flow is translated: no French text equals an English one', () => {
  const sample = { attemptsLeft: 2, minimum: '1', maximum: '2' };
  const sentencesIn = (value: unknown): readonly string[] => {
    if (typeof value === 'function')
      return sentencesIn((value as (facts: unknown, more: string) => unknown)(sample, '1'));
    if (typeof value === 'string') return [value];
    return Object.values(value as object).flatMap(sentencesIn);
  };
  const english = sentencesIn(textsOf('EN'));
  const translated = sentencesIn(textsOf('FR'));
  expect(translated.length).toBe(english.length);
  expect(translated.filter((text) => english.includes(text))).toEqual([]);
});
