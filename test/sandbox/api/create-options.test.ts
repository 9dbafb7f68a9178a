import { describe, expect, test } from '@jest/globals';
import { create, expectRefusal } from '../../support/sandbox/api/creating';
import {
  eft,
  eTransfer,
  geft,
  startService,
  type RequestBuilder,
} from '../../support/sandbox/requests-to-sandbox';

// The numbers in the test names, such as A15, are rules of the contract (docs/contract.md).

/** Creates a session, and returns the options in its details. */
async function optionsOf(request: RequestBuilder): Promise<unknown> {
  const service = await startService();
  return (await service.details(await service.open(request))).body['options'];
}

describe('the options of a create request', () => {
  test('A15 options and a boolean guarantee.enable are required', async () => {
    expectRefusal(await create(eft().without('options')), 'options');
    expectRefusal(await create(eft().without('options.guarantee')), 'options.guarantee');
    for (const enable of [undefined, null, 'false', 0]) {
      expectRefusal(await create(eft().with('options.guarantee', { enable })), 'options.guarantee.enable');
    }
  });

  test('A15 an e-Transfer with a guarantee is accepted, and needs an address', async () => {
    const guaranteed = eTransfer().with('options.guarantee.enable', true);
    expectRefusal(await create(guaranteed), 'payor.address');
    const { address } = geft().value['payor'] as { address: unknown };
    expect((await create(guaranteed.with('payor.address', address))).status).toBe(201);
  });

  test('A15 with guaranteeOptionalForETransfer, an e-Transfer may omit the guarantee, but an EFT may not', async () => {
    expectRefusal(await create(eTransfer().without('options.guarantee')), 'options.guarantee');
    const service = await startService({ guaranteeOptionalForETransfer: true });
    expect((await service.create(eTransfer().without('options.guarantee'))).status).toBe(201);
    expectRefusal(await service.create(eft().without('options.guarantee')), 'options.guarantee');
  });

  test('A16 options that are omitted get their defaults', async () => {
    expect(await optionsOf(eft())).toMatchObject({
      notificationPreferences: { language: 'EN', sendNetworkLink: false },
      showConsentScreen: null,
      amountModification: false,
    });
    expect(await optionsOf(eft().without('amount'))).toMatchObject({ amountModification: true });
  });

  test('A16 options of the request keep their values', async () => {
    const given = {
      notificationPreferences: { language: 'FR', sendNetworkLink: true },
      showConsentScreen: true,
      amountModification: true,
    };
    const request = Object.entries(given).reduce(
      (builder, [name, value]) => builder.with(`options.${name}`, value),
      eft(),
    );
    expect(await optionsOf(request)).toMatchObject(given);
  });

  test.each([
    ['notificationPreferences.language', 'en'],
    ['notificationPreferences.language', 'DE'],
    ['notificationPreferences.sendNetworkLink', 'yes'],
    ['amountModification', null],
    ['amountModification', 1],
    ['showConsentScreen', 'no'],
  ])('A16 %s %p is refused', async (name, value) => {
    expectRefusal(await create(eft().with(`options.${name}`, value)), `options.${name}`);
  });

  test('A17 redirect preferences may have an https URI; a URI that is omitted is reported as null, as is one that is null', async () => {
    const given = { mode: 'RedirectUri', urlSuccess: 'https://shop.example/paid?x=1', urlExit: null };
    expect(await optionsOf(eft().with('options.redirectPreferences', given))).toMatchObject({
      redirectPreferences: given,
    });
    expect(await optionsOf(eft().with('options.redirectPreferences', { mode: 'RedirectUri' }))).toMatchObject(
      {
        redirectPreferences: { mode: 'RedirectUri', urlSuccess: null, urlExit: null },
      },
    );
  });

  test.each([
    ['mode', 'Popup'],
    ['urlSuccess', '/paid'],
    ['urlSuccess', 'javascript:alert(1)'],
    ['urlExit', 'ftp://shop.example/'],
    ['urlExit', ''],
    ['urlSuccess', 'https://avery:secret@shop.example/'],
    ['urlExit', 'http:///evil'],
    ['urlExit', 'http:evil'],
  ])('A17 %s %p is refused', async (name, value) => {
    const path = `options.redirectPreferences.${name}`;
    expectRefusal(await create(eft().with(path, value)), path);
  });
});
