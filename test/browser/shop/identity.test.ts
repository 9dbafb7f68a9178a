import { test } from '@jest/globals';
import type { SessionRequest } from '../../../src';
import { describeInBrowser } from '../../support/worlds/chromium';
import { asking, eft, eTransfer, geft } from '../../support/requests';
import { OPENED } from './support/merchant-visit';
import { useMerchantSite } from './support/use-merchant-site';

const site = useMerchantSite();

const quick = (request: SessionRequest) => asking(request, { showConsentScreen: false });

// The payor’s name must match the holder of the bank account. In the sandbox, the username of the bank login decides who the holder is.
// `initial`: the bank knows only the initial of the first name. `moved`: the holder has another address. `other`: another person.
// `endings.test.ts` tests a matching account, and `other` for a regular EFT. A state such as `Completed EFT0302 poll` has the status,
// the code and the source.
// A15, A46 and A56 are rules of the contract (docs/contract.md).
describeInBrowser('the identity match', (browser) => {
  test.each([
    { kind: 'EFT', request: eft(), username: 'initial', state: 'Completed EFT0302 poll' },
    { kind: 'EFT', request: eft(), username: 'moved', state: 'Completed EFT0302 poll' },
    { kind: 'guaranteed EFT', request: geft(), username: 'initial', state: 'Failed EFT0403 poll' },
    { kind: 'guaranteed EFT', request: geft(), username: 'moved', state: 'Failed EFT0403 poll' },
    { kind: 'guaranteed EFT', request: geft(), username: 'other', state: 'Failed EFT0403 poll' },
  ])('A56 $kind, username $username: $state', async ({ request, username, state }) => {
    const visit = await site().visit(browser(), quick(request));
    const payor = await visit.payor();
    await payor.chooseBank();
    await payor.logIn(username);
    await payor.chooseAccount();
    if (state.startsWith('Failed')) {
      await payor.sees(payor.texts.results.failed);
      await payor.view.getByText('The account holder does not match').waitFor();
      await payor.press(payor.texts.results.backToMerchant);
    } else {
      await payor.confirmAmount();
      await payor.sees(payor.texts.headings.agreement);
      await payor.press(payor.texts.actions.signLater);
    }
    await visit.receivesEnds('EXIT');
    await visit.expectRecorded(OPENED, state);
  });

  test.each([
    { kind: 'e-Transfer', request: eTransfer(), username: 'initial', state: 'Completed poll' },
    { kind: 'e-Transfer', request: eTransfer(), username: 'other', state: 'Failed poll' },
    {
      kind: 'guaranteed e-Transfer',
      request: { ...geft(), type: 'e-Transfer' as const },
      username: 'initial',
      state: 'Failed poll',
    },
  ])('A15, A46 $kind, username $username: $state', async ({ request, username, state }) => {
    const visit = await site().visit(browser(), quick(request));
    const payor = await visit.payor();
    await payor.chooseBank();
    await payor.logIn(username);
    await payor.accept();
    if (state === 'Failed poll') await payor.press(payor.texts.results.backToMerchant);
    await visit.receivesEnds(state === 'Failed poll' ? 'EXIT' : 'SUCCESS');
    await visit.expectRecorded('Initiated create', state);
  });
});
