import { describe, expect, test } from '@jest/globals';
import { LOGIN, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import { eft, geft, PAYEE, startService } from '../../support/sandbox/requests-to-sandbox';

// A60 is a rule of the contract (docs/contract.md).

const XSS = `"'\`><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}</title></style>`;

describe('a hostile text of a merchant or payor', () => {
  const hostile = geft()
    .with('referenceId', XSS)
    .with('payor.firstName', XSS.slice(0, 100))
    .with('payor.lastName', XSS.slice(0, 100))
    .with('payor.middleName', XSS.slice(0, 100))
    .with('payor.occupation', XSS)
    .with('payor.address.addressLine1', XSS.slice(0, 100))
    .with('payor.address.addressLine2', XSS)
    .with('payor.address.unit', XSS)
    .with('payor.address.city', XSS.slice(0, 100))
    .with('payor.address.postalCode', `"'><b>`)
    .with('payee', PAYEE)
    .with('accountLabel', XSS.slice(0, 100))
    .with('options.redirectPreferences', {
      mode: 'RedirectUri',
      urlSuccess: 'https://shop.example/?a="><script>alert(1)</script>&b=\'',
      urlExit: 'https://shop.example/"onload="alert(1)',
    });

  const expectHarmless = (text: string) => {
    expect(text).not.toMatch(/<script>|<img|<b>|"onload/);
    expect(text.match(/<\/style>/g)?.length).toBe(1);
    expect(text.match(/<\/title>/g)?.length).toBe(1);
  };

  test('A60 stays text on every page of the flow, on the overview and in the outbox', async () => {
    const service = await startService();
    const payor = await payorOf(service, hostile);
    const typed = { username: XSS, amount: XSS, signature: XSS, institution: XSS, account: XSS, action: XSS };
    await payor.open();
    for (const fields of [{}, { institution: 'boreal' }, LOGIN, { account: 'chequing' }, {}]) {
      expectHarmless(payor.text);
      expectHarmless((await payor.post({ ...typed, token: XSS })).text);
      await payor.submit(fields);
    }
    await payor.submit({ ...typed, agreed: '' });
    expect(payor.text).toContain('&#60;script&#62;');
    expectHarmless(payor.text);
    await payor.leave();
    expectHarmless(payor.text);
    await payor.open();
    expectHarmless((await payor.submit(SIGNED)).text);
    expect(payor.heading).toBe('Thank you');
    for (const path of ['/', '/outbox', `/app/?sessionId=${encodeURIComponent(XSS)}`, `/app/?${XSS}`]) {
      expectHarmless((await service.send(path)).text);
    }
  });

  test('A60 comes back as text if the payor typed it at the login', async () => {
    const payor = await payorOf(await startService(), eft());
    await payor.goTo('login');
    await payor.submit({ username: XSS, password: 'secret-password' });
    expectHarmless(payor.text);
    expect(payor.text).not.toContain('secret-password');
  });
});
