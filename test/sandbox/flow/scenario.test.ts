import { describe, expect, test } from '@jest/globals';
import { HEADINGS, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import { eft, eTransfer, startService } from '../../support/sandbox/requests-to-sandbox';

describe('sessions that a scenario plays', () => {
  test('A63 name the scenario, and accept no form', async () => {
    const payor = await payorOf(await startService(), eTransfer('sandbox-stays-initiated'));
    await payor.open();
    expect([payor.page.status, payor.heading]).toEqual([200, 'A scenario plays the payor']);
    expect(payor.text).toContain('sandbox-stays-initiated');
    expect((await payor.post({ token: 'x', action: 'continue' })).status).toBe(409);
    expect(await payor.state()).toBe('Initiated undefined 25');
  });

  test('A63 cannot be signed by a person', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft('sandbox-awaits-signature'));
    service.clock.advance(60_000);
    expect((await payor.open()).page.status).toBe(410);
    await payor.post({ token: 'x', ...SIGNED });
    expect(await payor.state()).toBe('Completed EFT0302 25');
  });

  test('A56 do not include one whose account a test validated: a person signs it', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft('order-1'));
    service.sandbox.act(payor.sessionId, 'bankValidated');
    expect((await payor.open()).heading).toBe(HEADINGS.agreement);
    await payor.submit(SIGNED);
    expect(await payor.state()).toBe('Completed EFT0301 25');
  });
});
