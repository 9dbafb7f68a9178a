import { describe, expect, test } from '@jest/globals';
import { startControl } from '../../support/sandbox/control/start-control';
import { eft, expectProblem, geft, startService } from '../../support/sandbox/requests-to-sandbox';

const HEAD = 'reference,session,amount,currency,date,kind,code';
const DAY_MS = 86_400_000;

const linesOf = (text: string) => text.split('\r\n').slice(0, -1);

describe('the sandbox’s reconciliation file', () => {
  test('of a day has only the payments that were paid the day before, and settle on this day', async () => {
    const service = await startService();
    const reference = 'order "1", late';
    const paid = await service.open(geft(reference));
    await service.open(eft('sandbox-stays-initiated'));
    await service.open(eft('sandbox-insufficient-funds'));
    await service.open(eft('sandbox-awaits-signature'));
    service.sandbox.act(paid, 'completed');
    service.clock.advance(60_000);
    expect(linesOf(service.sandbox.reconciliation({ day: '2026-01-02' }))).toEqual([
      HEAD,
      `"order ""1"", late",${paid},25.00,CAD,2026-01-02,settled,`,
    ]);
    for (const day of ['2026-01-01', '2026-01-03'])
      expect(linesOf(service.sandbox.reconciliation({ day }))).toEqual([HEAD]);
    expect(linesOf(service.sandbox.reconciliation({ day: '2026-01-02', clientId: 'another' }))).toEqual([
      HEAD,
    ]);
  });

  test.each([
    ['sandbox-returned', '2026-01-04', '901'],
    ['sandbox-returned-912', '2026-01-04', '912'],
    ['sandbox-disputed-917', '2026-03-03', '917'],
    ['sandbox-disputed', '2026-03-03', 'DISPUTED'],
  ])(
    'has the return of a regular EFT in the scenario %s, but not of a guaranteed EFT',
    async (scenario, day, code) => {
      const service = await startService();
      const sessionId = await service.open(eft(`${scenario}-1`));
      await service.open(geft(scenario));
      service.clock.advance(DAY_MS);
      expect(linesOf(service.sandbox.reconciliation({ day: '2026-01-02' }))).toHaveLength(3);
      expect(linesOf(service.sandbox.reconciliation({ day }))).toEqual([
        HEAD,
        `${scenario}-1,${sessionId},25.00,CAD,${day},returned,${code}`,
      ]);
    },
  );

  test('has a payment as soon as the control port settles or returns it, and is the control port’s answer', async () => {
    const control = await startControl();
    const { service } = control;
    const sessionId = await service.open(eft('order-1'));
    const move = (body: object) => control.post(`/sessions/${sessionId}/money`, body);
    expectProblem(await move({ kind: 'settled' }), 409);
    service.sandbox.act(sessionId, 'completed');
    service.clock.advance(60_000);
    const settled = `order-1,${sessionId},25.00,CAD,2026-01-01,settled,`;
    expect(linesOf((await move({ kind: 'settled' })).text)).toEqual([HEAD, settled]);
    expect(linesOf(service.sandbox.reconciliation({ day: '2026-01-01' }))).toEqual([HEAD, settled]);
    service.clock.advance(2 * DAY_MS);
    const returned = (code: string) => [
      HEAD,
      settled,
      `order-1,${sessionId},25.00,CAD,2026-01-03,returned,${code}`,
    ];
    expect(linesOf((await move({ kind: 'returned' })).text)).toEqual(returned('901'));
    expect(linesOf((await move({ kind: 'returned', code: '905' })).text)).toEqual(returned('905'));
    expect(Object.keys(expectProblem(await move({ kind: 'returned', code: 'a,b' }), 400))).toEqual(['code']);
    expectProblem(await control.post('/sessions/none/money', { kind: 'settled' }), 404);
  });

  test('has the return of the scenario sandbox-returned only when it is due, even if the control port settles the payment early', async () => {
    const control = await startControl();
    const { service } = control;
    const sessionId = await service.open(eft('sandbox-returned'));
    service.clock.advance(60_000);
    const move = async (body: object) =>
      linesOf((await control.post(`/sessions/${sessionId}/money`, body)).text);
    const settled = `sandbox-returned,${sessionId},25.00,CAD,2026-01-01,settled,`;
    expect(await move({ kind: 'settled' })).toEqual([HEAD, settled]);
    service.clock.advance(3 * DAY_MS);
    const returned = `sandbox-returned,${sessionId},25.00,CAD,2026-01-03,returned,901`;
    expect(await move({ kind: 'settled' })).toEqual([HEAD, settled, returned]);
  });

  test('can be read at the control port, which refuses an invalid day', async () => {
    const control = await startControl();
    const { service } = control;
    const sessionId = await service.open(eft());
    service.sandbox.act(sessionId, 'completed');
    service.sandbox.returnAfter(sessionId, 3 * DAY_MS, 'CLOSED');
    const { text, headers } = await control.get('/reconciliation?day=2026-01-05');
    expect(text).toBe(service.sandbox.reconciliation({ day: '2026-01-05' }));
    expect(linesOf(text).at(-1)).toContain(`${sessionId},25.00,CAD,2026-01-05,returned,CLOSED`);
    expect(headers['content-type']).toMatch(/^text\/csv/);
    expect(Object.keys(expectProblem(await control.get('/reconciliation?day=2026-02-30'), 400))).toEqual([
      'day',
    ]);
    expect(() => service.sandbox.reconciliation({ day: 'today' })).toThrow(RangeError);
    expect(service.sandbox.returnAfter('none', DAY_MS)).toBe(false);
  });
});
