import { describe, expect, test } from '@jest/globals';
import { SCENARIOS } from '../../../sandbox';
import {
  eft,
  eTransfer,
  geft,
  startService,
  type RequestBuilder,
  type Service,
} from '../../support/sandbox/requests-to-sandbox';

// A63 is a rule of the contract (docs/contract.md).

/**
 * Creates a session, and reads its state once a second. A scenario makes one step a second by default. Returns each new
 * combination of status, code and amount.
 */
async function watch(service: Service, request: RequestBuilder, seconds = 15): Promise<readonly string[]> {
  const sessionId = await service.open(request);
  const seen: string[] = [];
  for (let second = 0; second <= seconds; second += 1) {
    const { status, statusDetails, amount } = (await service.status(sessionId)).body;
    const state = [status, statusDetails, amount].map(String).join(' ');
    if (state !== seen.at(-1)) seen.push(state);
    service.clock.advance(1_000);
  }
  return seen;
}

const CREATED = 'Initiated EFT0101 25';

describe('the scenarios', () => {
  const statesOf = {
    'sandbox-completes': [CREATED, 'Completed EFT0301 25'],
    'sandbox-returned': [CREATED, 'Completed EFT0301 25'],
    'sandbox-disputed': [CREATED, 'Completed EFT0301 25'],
    'sandbox-awaits-signature': [CREATED, 'Completed EFT0302 25'],
    'sandbox-signs-later': [CREATED, 'Completed EFT0302 25', 'Completed EFT0301 25'],
    'sandbox-login-failed': [CREATED, 'Failed EFT0401 25'],
    'sandbox-identity-failed': [CREATED, 'Failed EFT0403 25'],
    'sandbox-insufficient-funds': [CREATED, 'Failed EFT0404 25'],
    'sandbox-no-guarantee': [CREATED, 'Failed EFT0402 25'],
    'sandbox-expires': [CREATED, 'Expired EFT0601 25'],
    'sandbox-stays-initiated': [CREATED],
  };

  test('A63 are tested below without exception', () => {
    expect(SCENARIOS.map(({ id }) => id)).toEqual(Object.keys(statesOf));
  });

  test('A63 have ids that a regular EFT may have as its reference', () => {
    for (const { id, summary } of SCENARIOS) {
      expect(id).toMatch(/^[a-zA-Z0-9-]{1,26}$/);
      expect(summary).not.toBe('');
    }
  });

  test.each(Object.entries(statesOf))(
    'A63 include %s, which leads a guaranteed EFT through its states',
    async (scenario, states) => {
      expect(await watch(await startService(), geft(scenario))).toEqual(states);
    },
  );

  test('A63 are also chosen by a reference with a hyphen and a suffix, but not by another spelling', async () => {
    const service = await startService();
    const scenarioOf = async (referenceId: string) =>
      service.sandbox.session(await service.open(eft(referenceId)))?.scenario;
    expect(await scenarioOf('sandbox-expires-order-42')).toBe('sandbox-expires');
    expect(await scenarioOf('sandbox-expiresX')).toBeNull();
    expect(await scenarioOf('Sandbox-Expires')).toBeNull();
    expect(await scenarioOf('order-42')).toBeNull();
  });

  test('A63 do not change a session with another reference', async () => {
    expect(await watch(await startService(), eft('order-42'))).toEqual([CREATED]);
  });

  test('A63 take paceMs for each step', async () => {
    const service = await startService({ paceMs: 10 });
    const sessionId = await service.open(eft('sandbox-completes'));
    service.clock.advance(19);
    expect((await service.status(sessionId)).body['status']).toBe('Initiated');
    service.clock.advance(1);
    expect((await service.status(sessionId)).body['status']).toBe('Completed');
  });

  test('A63 enter an amount within the limits if the request has no amount', async () => {
    const service = await startService();
    const request = eft('sandbox-completes').without('amount');
    expect(await watch(service, request)).toEqual(['Initiated EFT0101 null', 'Completed EFT0301 25']);
    const bounded = async (limits: object) =>
      (await watch(service, request.with('options.limits', limits))).at(-1);
    expect(await bounded({ maximumAmount: 9.5 })).toBe('Completed EFT0301 9.5');
    expect(await bounded({ minimumAmount: 40 })).toBe('Completed EFT0301 40');
    expect(await bounded({ minimumAmount: 1.15 * 100 })).toBe('Completed EFT0301 115');
    expect(await bounded({ minimumAmount: 30.005 })).toBe('Completed EFT0301 30.01');
    expect(await bounded({ maximumAmount: 9.505 })).toBe('Completed EFT0301 9.5');
  });

  test('A63 end with a cancel of the session', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('sandbox-completes'));
    service.clock.advance(1_999);
    expect((await service.cancel(sessionId)).status).toBe(200);
    expect(service.sandbox.session(sessionId)?.plan).toEqual([]);
    service.clock.advance(60_000);
    expect((await service.status(sessionId)).body['status']).toBe('Cancelled');
  });

  test.each([
    { idleExpiryMs: 1_500, status: 'Completed', endedAfterMs: 2_000 },
    { idleExpiryMs: 500, status: 'Expired', endedAfterMs: 500 },
  ])(
    'A63 play their steps in the order in which they are due, even if the session is read an hour later: $status',
    async ({ idleExpiryMs, status, endedAfterMs }) => {
      const service = await startService({ idleExpiryMs });
      const createdAtMs = service.clock.now();
      const sessionId = await service.open(eft('sandbox-completes'));
      service.clock.advance(60 * 60_000);
      const { state } = service.sandbox.session(sessionId) ?? {};
      expect(state).toMatchObject({ status, endedAtMs: createdAtMs + endedAfterMs });
    },
  );
});

describe('a misspelt scenario', () => {
  /** Creates a session with this reference, and returns the warnings in the log. */
  async function warningsFor(referenceId: string): Promise<readonly string[]> {
    const lines: string[] = [];
    const service = await startService({ log: (line) => lines.push(line) });
    const sessionId = await service.open(eTransfer(referenceId));
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Initiated');
    return lines.filter((line) => !/ \d+ms$/.test(line));
  }

  test.each([
    ['sandbox-complete', 'sandbox-completes'],
    ['sandbox-complete-order-42', 'sandbox-completes'],
    ['sandbox-returnd-912', 'sandbox-returned'],
    ['sandbox-sign-later-7', 'sandbox-signs-later'],
    ['Sandbox-Expires', 'sandbox-expires'],
    ['sandbox-insuficient-funds', 'sandbox-insufficient-funds'],
  ])('A63 %s is logged once, with the name of the nearest scenario', async (referenceId, meant) => {
    expect(await warningsFor(referenceId)).toEqual([
      `${referenceId} is not a scenario, so the session waits for a payor; did you mean ${meant}?`,
    ]);
  });

  test.each([
    ['sandbox-order-42', 'sandbox-order-42'],
    ['sandbox-', 'sandbox-'],
    ['sandbox-a\nb', 'sandbox-a?b'],
  ])(
    'A63 %j, which resembles no scenario, is logged on one line without a suggestion',
    async (referenceId, shown) => {
      expect(await warningsFor(referenceId)).toEqual([
        `${shown} is not a scenario, so the session waits for a payor; \`paysession sandbox --scenarios\` lists the scenarios`,
      ]);
    },
  );

  test.each([
    'sandbox-completes',
    'sandbox-completes-order-42',
    'sandbox-returned-912',
    'order-42',
    'sandbox',
  ])('A63 %s is a scenario or an ordinary reference, and is not logged', async (referenceId) => {
    expect(await warningsFor(referenceId)).toEqual([]);
  });
});
