import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { LedgerDatabase, PaymentLedger } from '../../../ledger';
import { eft } from '../../support/requests';
import { connectTo, openLedger, testLedger, untilOneWaits } from '../../support/ledger/test-ledger';
import type { RewrapProgress } from '../../../ledger/rewrap';

// Each session has its own key in the ledger, which encrypts its personal data. An encryption key of the settings wraps the
// session’s key. A rewrap wraps the session keys with the current encryption key, so that an earlier one can be removed.

const keyNamed = (id: string) => ({ id, secret: createHash('sha256').update(id).digest() });
const [A, B] = [keyNamed('a'), keyNamed('b')];
const BOTH = { current: B, earlier: [A] };

const request = eft();
const claimOf = (key: string) => ({
  key,
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  request,
  at: '2026-03-01T12:00:00.000Z',
});
const keysUpTo = (count: number) => Array.from({ length: count }, (_key, index) => `order-${index}`);

async function claimAll(ledger: PaymentLedger, keys: readonly string[]): Promise<void> {
  // Claims as many keys at a time as the ledger has connections. A claim that waits long for a connection fails.
  const left = [...keys];
  const one = async (): Promise<void> => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) await ledger.claim(claimOf(key));
  };
  await Promise.all(Array.from({ length: 10 }, one));
}

async function rewrap(ledger: PaymentLedger): Promise<RewrapProgress> {
  let last = { looked: 0, rewrapped: 0 };
  for await (const progress of ledger.rewrap()) last = progress;
  return last;
}

async function wrappedWith(database: LedgerDatabase): Promise<readonly (string | null)[]> {
  const rows = await database.query<{ wrapped_with: string | null }>(
    'select distinct wrapped_with from paysession_ledger.session_keys where wrapped is not null order by 1',
  );
  return rows.map(({ wrapped_with: id }) => id);
}

describe('a rewrap of the ledger’s keys', () => {
  test('is refused in an environment without sessions if workers record in another environment', async () => {
    const { url } = await testLedger();
    const [production, staging] = ['production', 'staging'].map((environment) =>
      openLedger(url, { environment, encryption: BOTH }),
    ) as [PaymentLedger, PaymentLedger];
    expect(await rewrap(staging)).toEqual({ looked: 0, rewrapped: 0 });
    await production.namespaces.register({ name: 'default', id: 'of-a-server' });
    await expect(rewrap(staging)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
    // An environment that has sessions can be rewrapped, although no worker uses it.
    await claimAll(staging, ['order-1']);
    expect(await rewrap(staging)).toMatchObject({ looked: 1 });
  });

  test('makes the earlier encryption key unnecessary, and a second rewrap changes nothing', async () => {
    const { url, ledger, database } = await testLedger({ encryption: { current: A } });
    const keys = keysUpTo(600);
    await claimAll(ledger, keys);
    const rotating = openLedger(url, { encryption: BOTH });
    const steps: RewrapProgress[] = [];
    for await (const step of rotating.rewrap()) steps.push(step);
    expect(steps.map(({ looked }) => looked)).toEqual([500, 600]);
    expect(steps.at(-1)).toEqual({ looked: 600, rewrapped: 600 });
    expect(await wrappedWith(database)).toEqual(['b']);
    expect(await rewrap(rotating)).toEqual({ looked: 600, rewrapped: 0 });
    const later = openLedger(url, { encryption: { current: B } });
    for (const key of [keys[0], keys[555], keys.at(-1)])
      expect((await later.entriesOf(key ?? ''))[0]?.fact).toMatchObject({ request });
  });

  test('wraps session keys that were stored unwrapped', async () => {
    const { url, ledger, database } = await testLedger();
    await claimAll(ledger, keysUpTo(3));
    const keyed = openLedger(url, { encryption: { current: B } });
    expect(await rewrap(keyed)).toEqual({ looked: 3, rewrapped: 3 });
    expect(await wrappedWith(database)).toEqual(['b']);
    expect((await keyed.entriesOf('order-2'))[0]?.fact).toMatchObject({ request });
    await expect(ledger.entriesOf('order-2')).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISSING' });
  });

  test('continues where an earlier rewrap was stopped', async () => {
    const { url, ledger } = await testLedger({ encryption: { current: A } });
    await claimAll(ledger, keysUpTo(520));
    const rotating = openLedger(url, { encryption: BOTH });
    for await (const { rewrapped } of rotating.rewrap()) if (rewrapped > 0) break;
    expect(await rewrap(rotating)).toEqual({ looked: 520, rewrapped: 20 });
  });

  test('wraps each key once, while another rewrap and writers run at the same time', async () => {
    const { url, ledger, database } = await testLedger({ encryption: { current: A } });
    await claimAll(ledger, keysUpTo(520));
    const [one, other] = [openLedger(url, { encryption: BOTH }), openLedger(url, { encryption: BOTH })];
    const decided = keysUpTo(20).map((key) =>
      ledger.record(claimOf(key), [
        { kind: 'anomaly', at: '2026-03-01T13:00:00.000Z', number: 1, anomaly: 'unknownCode', detail: 'odd' },
      ]),
    );
    const [first, second] = await Promise.all([rewrap(one), rewrap(other), ...decided]);
    expect([first, second].reduce((sum, { rewrapped }) => sum + rewrapped, 0)).toBe(520);
    expect(await wrappedWith(database)).toEqual(['b']);
    const facts = (await one.entriesOf('order-7')).map(({ fact }) => fact);
    expect(facts).toMatchObject([{ request }, { kind: 'anomaly', detail: 'odd' }]);
  });

  test('does not restore a session key that was erased before or is erased during the rewrap', async () => {
    const { url, ledger, database } = await testLedger({ encryption: { current: A } });
    await claimAll(ledger, keysUpTo(3));
    await ledger.erase('order-0', { by: 'Bea', reason: 'request 77' });
    const rotating = openLedger(url, { encryption: BOTH });
    const running = await connectTo(url).transaction(async (statements) => {
      await statements.query("select 1 from paysession_ledger.session_keys where key = 'order-1' for update");
      const done = rewrap(rotating);
      await untilOneWaits(database);
      await statements.query(
        "update paysession_ledger.session_keys set wrapped = null where key = 'order-1'",
      );
      return { done };
    });
    expect(await running.done).toEqual({ looked: 3, rewrapped: 1 });
    const kept = await database.query(
      'select key from paysession_ledger.session_keys where wrapped is not null',
    );
    expect(kept).toEqual([{ key: 'order-2' }]);
  });

  test('wraps all keys that it can read, and then fails with the name of a missing encryption key', async () => {
    const { url, ledger, database } = await testLedger({ encryption: { current: keyNamed('lost') } });
    await claimAll(ledger, ['order-0']);
    await claimAll(openLedger(url, { encryption: { current: A } }), ['order-1']);
    const rotating = openLedger(url, { encryption: BOTH });
    const steps: RewrapProgress[] = [];
    const run = async () => {
      for await (const step of rotating.rewrap()) steps.push(step);
    };
    await expect(run()).rejects.toMatchObject({
      code: 'ENCRYPTION_KEY_MISSING',
      message: expect.stringContaining('"lost"'),
    });
    expect(steps).toEqual([{ looked: 2, rewrapped: 1 }]);
    expect(await wrappedWith(database)).toEqual(['b', 'lost']);
  });

  test('is refused without encryption keys', async () => {
    const { ledger } = await testLedger();
    await expect(rewrap(ledger)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
  });

  test('changes only the keys of its own environment', async () => {
    const { url, ledger, database } = await testLedger({ encryption: { current: A } });
    await claimAll(ledger, ['order-0']);
    const other = openLedger(url, { encryption: BOTH, environment: 'other' });
    expect(await rewrap(other)).toEqual({ looked: 0, rewrapped: 0 });
    expect(await wrappedWith(database)).toEqual(['a']);
  });
});
