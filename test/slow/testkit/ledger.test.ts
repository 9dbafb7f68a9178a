import { expect, test } from '@jest/globals';
import { createPaymentWorld, exportSession, replayHistories, parseHistory } from '../../../testkit';
import { KeptServers } from '../../../testkit/kept-servers';
import { eft } from '../../support/requests';
import { testBundle } from '../../support/setup/global-values';
import { borrowLedger } from '../../../testkit/lent-servers';

const MINUTE_MS = 60_000;
const bundlePath = testBundle();
const makeWorld = () => createPaymentWorld({ bundlePath, ledger: true });

test('a payment world with a ledger records in virtual time, and its exported histories replay and have no personal data', async () => {
  await using world = await makeWorld();
  const key = 'order-of-wilhelmina';
  const { session, sessionId } = await world.sessions.open({ key, request: eft() });
  await world.payor(sessionId).after('10m').completes();
  expect(await session.result()).toMatchObject({ paid: true });

  const entries = await world.ledger.entriesOf(key);
  expect(entries.map(({ fact }) => fact.kind)).toEqual(['claimed', 'opened', 'state', 'state', 'ended']);
  const [first, last] = [entries.at(0), entries.at(-1)].map((entry) => Date.parse(entry?.recordedAt ?? ''));
  expect((last ?? 0) - (first ?? 0)).toBeGreaterThan(9 * MINUTE_MS);
  expect((await world.now()).getTime()).toBeGreaterThanOrEqual(last ?? Infinity);

  const [run] = await exportSession(world.client, key);
  const json = run?.json ?? '';
  const text = json.replace(/"data": "([^"]*)"/g, (_member, data: string) => atob(data));
  for (const personal of [key, sessionId, world.ledger.environment, 'Tremblay'])
    expect(text).not.toContain(personal);
  const { divergences } = await replayHistories([parseHistory('exported', JSON.parse(json))], { bundlePath });
  expect(divergences).toEqual([]);
});

test('in a payment world with a ledger, the world’s daily files settle and return payments, and a payment without a line is late', async () => {
  await using world = await makeWorld();
  const { session, sessionId } = await world.sessions.open({ key: 'order-1', request: eft('ref-1') });
  await world.payor(sessionId).returnsAfter('3d', 'CLOSED');
  await session.result();
  const paidAtMs = (await world.now()).getTime();
  const dayAfter = (days: number) => new Date(paidAtMs + days * 86_400_000).toISOString().slice(0, 10);
  const outcomes: string[] = [];
  // The file of the return comes before the file of the settlement.
  for (const day of [dayAfter(4), dayAfter(1), dayAfter(4)]) {
    const file = [world.sandbox.reconciliation({ day })];
    for await (const { outcome } of world.ledger.reconcile(file)) outcomes.push(outcome);
  }
  expect(outcomes).toEqual(['recorded', 'recorded', 'known']);
  for await (const known of world.ledger.payments.all({}))
    expect(known).toMatchObject({
      paid: true,
      returnCode: 'CLOSED',
      returnedAt: `${dayAfter(4)}T00:00:00.000Z`,
    });
  // The file with this payment’s line is not reconciled.
  const late = await world.sessions.open({ key: 'order-2', request: eft('ref-2') });
  await world.payor(late.sessionId).completes();
  await late.session.result();
  const lateCount = async () => (await world.ledger.payments.totals({ late: true })).count;
  await world.advance('3d');
  expect(await lateCount()).toBe(0);
  await world.advance('20d');
  expect(await lateCount()).toBe(1);
});

test('the payment worlds of one run share a PostgreSQL server, and do not see each other’s keys', async () => {
  const lines: string[] = [];
  const kept = await KeptServers.start((line) => void lines.push(line));
  try {
    await using one = await makeWorld();
    await using other = await makeWorld();
    const lent = await borrowLedger();
    expect([lent, await borrowLedger()]).toEqual([expect.stringMatching(/^postgresql:/), lent]);
    const { sessionId } = await one.sessions.open({ key: 'order-1', request: eft() });
    const opened = await other.sessions.open({ key: 'order-1', request: { ...eft(), amount: 31 } });
    expect(opened.sessionId).not.toBe(sessionId);
    expect([await one.ledger.entriesOf('order-1'), await other.ledger.entriesOf('order-1')]).toMatchObject([
      [{ fact: { kind: 'claimed', amount: 25 } }, {}, {}],
      [{ fact: { kind: 'claimed', amount: 31 } }, {}, {}],
    ]);
  } finally {
    await kept.stop();
  }
  expect(lines.filter((line) => line.includes('of its own'))).toEqual([]);
});

test('a payment world has no ledger by default', async () => {
  await using world = await createPaymentWorld({ bundlePath });
  expect(world.ledger).toBeUndefined();
});
