import { describe, expect, test } from '@jest/globals';
import { HEADINGS, payorOf, SIGNED } from '../../support/sandbox/flow/payor';
import { eft, eTransfer, startService } from '../../support/sandbox/requests-to-sandbox';

// A63 and A56 are rules of the contract (docs/contract.md).

// A reference such as `sandbox-completes` names a scenario: the sandbox itself plays the payor.
describe('sessions that a scenario plays', () => {
  test('A63 show the scenario’s name to a visitor, and accept no form', async () => {
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

  test('A56 do not include a session without a scenario: after a test validates its account, a person signs', async () => {
    const service = await startService();
    const payor = await payorOf(service, eft('order-1'));
    service.sandbox.act(payor.sessionId, 'bankValidated');
    expect((await payor.open()).heading).toBe(HEADINGS.agreement);
    await payor.submit(SIGNED);
    expect(await payor.state()).toBe('Completed EFT0301 25');
  });
});
