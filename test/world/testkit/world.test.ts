import { describe, expect, jest, test } from '@jest/globals';
import type { SessionPolicy, SessionRequest } from '../../../src';
import { createPaymentWorld, type WorldPayor } from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { eft, eTransfer, geft } from '../../support/requests';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const bundlePath = testBundle();

const world = usePaymentWorld();

/** Polls every five minutes of virtual time. Each poll takes some real time, so rare polls keep the tests quick. */
const RELAXED: SessionPolicy = { fastestPoll: '5m' };

let orders = 0;

/** Opens a session in the world that all these tests share. Its time never goes back, so each test must end its own session. */
const open = (request: SessionRequest = eft(), policy: SessionPolicy = RELAXED) =>
  world.sessions.open({ key: `order-${(orders += 1)}`, request, policy });

describe('the payor in a payment world', () => {
  test.each([
    ['completes', 'Completed', 'EFT0301'],
    ['failsLogin', 'Failed', 'EFT0401'],
    ['failsIdentity', 'Failed', 'EFT0403'],
    ['hasInsufficientFunds', 'Failed', 'EFT0404'],
    ['leaves', 'Expired', 'EFT0601'],
  ] as const)('with %s ends the session as %s/%s', async (act, status, code) => {
    const { sessionId, session } = await open();
    await world.payor(sessionId)[act]();
    expect(await session.result()).toMatchObject({ status, code, anomalies: [] });
  });

  test.each([
    ['pays if the session is not paid', () => Promise.resolve()],
    ['does not pay again if the session is paid', (payor: WorldPayor) => payor.completes()],
    ['pays later if the payor is to pay later', (payor: WorldPayor) => payor.after('10m').completes()],
  ])('with returnsAfter %s', async (_name, before) => {
    const { sessionId, session } = await open();
    await before(world.payor(sessionId));
    await world.payor(sessionId).returnsAfter('3d');
    expect(await session.result()).toMatchObject({ paid: true, status: 'Completed', code: 'EFT0301' });
    expect(world.sandbox.session(sessionId)?.returns).toBeDefined();
  });

  test('enters the amount if the request has none', async () => {
    const { amount, ...request } = geft();
    const { sessionId, session } = await open(request);
    await world.payor(sessionId).entersAmount(31.5);
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', amount: 31.5 });
  });

  test('completes a session without an amount by entering 25 dollars', async () => {
    const { amount, ...request } = geft();
    const { sessionId, session } = await open(request);
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', amount: 25 });
  });

  test('signs the PAD agreement days after the validation', async () => {
    const { sessionId, session } = await open();
    await world.payor(sessionId).signsPadAfter('2d');
    await world.advance('1d');
    expect(await session.state()).toMatchObject({ status: 'Completed', code: 'EFT0302' });
    // The time between two polls has grown to a sixth of the time passed, plus at most a tenth of that.
    await world.advance('33h');
    expect(await session.state()).toMatchObject({ phase: 'ended', code: 'EFT0301' });
    const [, validated, signed] = await session.stateHistory();
    const days =
      (Date.parse(signed?.firstSeenAt ?? '') - Date.parse(validated?.firstSeenAt ?? '')) / 86_400_000;
    expect(days).toBeGreaterThan(1.99);
    expect(days).toBeLessThan(2.37);
  });

  test('cannot pay after the session has expired', async () => {
    const { sessionId, session } = await open();
    await world.payor(sessionId).after('20m').completes();
    expect(await session.result()).toMatchObject({ status: 'Expired' });
  });

  test('gets an error if the session refuses the action', async () => {
    const { sessionId, session } = await open();
    await session.cancelAndWait();
    await expect(world.payor(sessionId).completes()).rejects.toThrow('refuses the payor’s action: ended');
    await expect(world.payor('unknown').completes()).rejects.toThrow('The world has no session unknown.');
  });
});

describe('the service in a payment world', () => {
  test('keeps a log of every call', async () => {
    const { sessionId, session } = await open(eTransfer());
    await session.cancelAndWait();
    expect(world.service.audit().map(({ route }) => route)).toEqual(
      expect.arrayContaining(['authorize', 'create', 'cancel']),
    );
    expect(world.service.audit({ route: 'cancel', sessionId })).toMatchObject([{ status: 200 }]);
  });

  test('fails on request, and the session continues', async () => {
    // After an hour, the worker’s token has expired.
    await world.advance('1h');
    world.service.fail('authorize', { kind: 'status', status: 503 });
    const { sessionId, session } = await open();
    world.service.fail('details', { kind: 'reset', phase: 'before' }, 3);
    await world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
  });

  test('loses the answer to a create request on request, and the session reports a possible orphan', async () => {
    const before = world.service.audit({ route: 'create' }).length;
    world.service.fail('create', { kind: 'hang', phase: 'after' });
    const { sessionId, session } = await open();
    await world.payor(sessionId).completes();
    expect((await session.result()).anomalies).toMatchObject([{ kind: 'possibleOrphan' }]);
    expect(world.service.audit({ route: 'create' })).toHaveLength(before + 2);
  });
});

describe('an account in a payment world', () => {
  test('has its own payment service and payors', async () => {
    const client = { ...DEFAULT_CLIENT, clientId: 'shop', clientSecret: 'of the shop' };
    const accounts = { shop: { callsPerSecond: 100, sandbox: { clients: [client] } } };
    await using shops = await createPaymentWorld({ bundlePath, accounts });
    const input = { request: eft(), policy: RELAXED };
    const atShop = await shops.sessions.open({ ...input, key: 'order-1', account: 'shop' });
    const usual = await shops.sessions.open({ ...input, key: 'order-2' });
    const idsCreated = (account: string) =>
      shops
        .serviceOf(account)
        .audit({ route: 'create' })
        .map(({ sessionId }) => sessionId);
    expect(idsCreated('shop')).toEqual([atShop.sessionId]);
    expect(idsCreated('default')).toEqual([usual.sessionId]);
    expect(shops.service.audit()).toEqual(shops.serviceOf('default').audit());
    for (const { sessionId, session } of [atShop, usual]) {
      await shops.payor(sessionId).completes();
      expect(await session.result()).toMatchObject({ status: 'Completed' });
    }
    expect(() => shops.serviceOf('nobody')).toThrow('no account "nobody"');
  });

  test('that is malformed is refused before the world starts', async () => {
    const accounts = { busy: { callsPerSecond: -5 } };
    await expect(createPaymentWorld({ bundlePath, accounts })).rejects.toThrow(
      'accounts.busy.callsPerSecond',
    );
    const twice = { sandbox: {}, accounts: { default: { sandbox: {} } } };
    await expect(createPaymentWorld({ bundlePath, ...twice })).rejects.toThrow('given twice');
  });
});

const TIMERS = ['setTimeout', 'setImmediate', 'queueMicrotask'] as const;

test.each(TIMERS)('a payment world does not start while Jest fakes %s', async (faked) => {
  jest.useFakeTimers({ doNotFake: TIMERS.filter((timer) => timer !== faked) });
  try {
    await expect(createPaymentWorld({ bundlePath })).rejects.toThrow('Call useRealTimers() first.');
  } finally {
    jest.useRealTimers();
  }
});

test('several payment worlds can run at the same time', async () => {
  const others = await Promise.all([createPaymentWorld({ bundlePath }), createPaymentWorld({ bundlePath })]);
  try {
    const ended = others.map(async (other, index) => {
      const { sessionId, session } = await other.sessions.open({
        key: 'order-1',
        request: eft(),
        policy: RELAXED,
      });
      await other.advance(index === 0 ? '1h' : '1m');
      if (index === 1) await other.payor(sessionId).completes();
      return (await session.result()).status;
    });
    expect(await Promise.all(ended)).toEqual(['Expired', 'Completed']);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
});

test('the results of several sessions in a payment world can be awaited together', async () => {
  const keys = ['one', 'two', 'three'];
  const sessions = await Promise.all(
    keys.map((key) => world.sessions.start({ key, request: eft(), policy: RELAXED })),
  );
  const results = await Promise.all(sessions.map((session) => session.result()));
  expect(results.map(({ status }) => status)).toEqual(['Expired', 'Expired', 'Expired']);
});
