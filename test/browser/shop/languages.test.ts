import { expect, test } from '@jest/globals';
import type { SessionRequest } from '../../../src';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, eft, eTransfer, geft, withoutAmount } from '../../support/requests';
import { OPENED } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';
import { textsOf } from '../../../sandbox/flow/texts';

const site = useMerchantSite();

const LANGUAGES = [
  { language: 'EN', texts: textsOf('EN') },
  { language: 'FR', texts: textsOf('FR') },
] as const;

const inLanguage = (request: SessionRequest, language: 'EN' | 'FR') =>
  asking(request, { notificationPreferences: { language } });

// A40, A54, A60 and A62 are rules of the contract (docs/contract.md).

describeInBrowser('the hosted flow in both languages', (browser) => {
  test.each(LANGUAGES)(
    'A60 $language: a payor who makes a mistake at each step and goes back can still pay',
    async ({ language, texts }) => {
      const visit = await site().visit(browser(), inLanguage(eft(), language), { texts });
      const payor = await visit.payor();
      const { actions, headings } = texts;
      await payor.consent();
      await payor.sees(headings.institution);
      await payor.press(actions.continue);
      await payor.seesProblem('institutionMissing');
      await payor.chooseBank();
      await payor.sees(headings.login);
      await payor.press(actions.logIn);
      await payor.seesProblem('loginMissing');
      await payor.logIn('payor', 'wrong');
      await payor.seesProblem('loginWrong', { attemptsLeft: 2, minimum: '', maximum: '' });
      await payor.press(actions.back);
      await payor.sees(headings.institution);
      await payor.choose('Caisse du Fleuve');
      await payor.press(actions.continue);
      await payor.view.getByText('Caisse du Fleuve').waitFor();
      // Choosing another bank does not reset the number of attempts.
      await payor.logIn('payor', 'wrong');
      await payor.seesProblem('loginWrong', { attemptsLeft: 1, minimum: '', maximum: '' });
      await payor.logIn();
      await payor.sees(headings.account);
      await payor.press(actions.continue);
      await payor.seesProblem('accountMissing');
      await payor.chooseAccount(texts.account.names.student);
      await payor.sees(headings.amount);
      await payor.press(actions.back);
      await payor.chooseAccount();
      await payor.confirmAmount();
      await payor.sees(headings.agreement);
      await payor.view.getByText('Caisse du Fleuve ****4321').waitFor();
      await payor.press(actions.sign);
      await payor.seesProblem('agreementMissing');
      await payor.seesProblem('signatureMissing');
      await payor.press(actions.signLater);
      await visit.receivesEnds('EXIT');
      await visit.expectRecorded(OPENED, 'Completed EFT0302 poll');
      await payor.view.getByText(texts.results.leftToSign).waitFor();
      await payor.view.getByRole('link', { name: texts.results.goBack }).click();
      await payor.sign();
      await payor.sees(texts.results.success);
      expect(await payor.view.evaluate('document.documentElement.lang')).toBe(language.toLowerCase());
      await visit.receivesEnds('EXIT', 'SUCCESS');
      await visit.expectRecorded(OPENED, 'Completed EFT0302 poll', 'Completed EFT0301 poll');
    },
  );

  test('A40, A60 French: the payor gets a next best offer', async () => {
    const visit = await site().visit(browser(), inLanguage(withoutAmount(geft()), 'FR'), {
      texts: textsOf('FR'),
    });
    const payor = await visit.payor();
    await payor.consent();
    await payor.chooseBank();
    await payor.logIn();
    await payor.chooseAccount();
    await payor.sees('Saisissez le montant');
    await payor.enterAmount('700,50');
    await payor.sees('Un autre montant est possible');
    await payor.view.getByText('500,00 $ CAD').waitFor();
    await payor.press('Choisir ce montant');
    await payor.sign();
    await visit.receivesEnds('SUCCESS');
    expect((await visit.expectRecorded(OPENED, 'Completed EFT0301 poll')).amount).toBe(500);
  });

  test.each([
    ['payor', 'SUCCESS', 'Completed poll'],
    ['other', 'EXIT', 'Failed poll'],
  ] as const)(
    'A46, A60 French: an e-Transfer with the bank login %s ends with %s (%s)',
    async (username, end, state) => {
      const visit = await site().visit(browser(), inLanguage(eTransfer(), 'FR'), { texts: textsOf('FR') });
      const payor = await visit.payor();
      await payor.consent();
      await payor.chooseBank();
      await payor.logIn(username);
      await payor.accept();
      await payor.sees(end === 'SUCCESS' ? 'Merci' : 'Le paiement n’a pas pu être effectué');
      if (end === 'EXIT') await payor.press('Retour au marchand');
      await visit.receivesEnds(end);
      await visit.expectRecorded('Initiated create', state);
    },
  );

  test.each(LANGUAGES)(
    'A54, A62 $language: the page shows that the session is over if it is cancelled during the flow',
    async ({ language, texts }) => {
      const visit = await site().visit(browser(), inLanguage(eft(), language), { texts });
      const payor = await visit.payor();
      await payor.sees(texts.headings.consent);
      const { sessions, key } = visit.parts;
      await sessions.get(key).cancelAndWait();
      await payor.consent();
      await payor.sees(texts.over);
      await visit.receivesEnds();
      await visit.expectRecorded(OPENED, 'Cancelled EFT0501 cancel');
    },
  );
});
