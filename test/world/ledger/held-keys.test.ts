import { describe, expect, test } from '@jest/globals';
import { RememberedKeys, NEW_KEY, withEntries, type KnownEntry } from '../../../ledger/remembered-keys';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';
import { CLAIM } from '../../support/ledger/claim';
import { strictPooler } from '../../support/ledger/strict-pooler';
import { openLedger, testLedger, type TestLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';
const opened: LedgerFact = { kind: 'opened', at, sessionId: 'session-1', how: 'create' };
const stateOf = (number: number): LedgerFact => ({
  kind: 'state',
  at,
  number,
  status: 'Initiated',
  source: 'poll',
});
const decisionBy = (by: string): LedgerFact => ({
  kind: 'decision',
  at,
  number: 1,
  decision: 'cancel',
  by,
  result: 'cancelled',
});
const erasure = { by: 'Bea', reason: 'request 77' };

/** Verifies the ledger, and returns the kinds of a session's entries. */
async function chainOf({ ledger }: TestLedger): Promise<readonly string[]> {
  expect(await ledger.verify()).not.toHaveProperty('fault');
  return (await ledger.entriesOf('order-1')).map(({ fact }) => fact.kind);
}

// A ledger client keeps the entries of recently used keys in memory, so that it need not read them before it adds an entry.

describe('a ledger client that has a session’s entries in memory', () => {
  // The pooler in between breaks every statement that reads entries.
  test('claims a new key and adds entries without reading any', async () => {
    const own = await testLedger();
    const blind = openLedger(await strictPooler(own.url, 'order by number'));
    expect(await blind.claim(CLAIM)).toEqual({ outcome: 'claimed' });
    expect(await blind.record(CLAIM, [opened, stateOf(1)])).toBe(2);
    expect(await blind.record(CLAIM, [stateOf(1), decisionBy('Ann')])).toBe(1);
    await expect(blind.record(CLAIM, [opened])).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect(await chainOf(own)).toEqual(['claimed', 'opened', 'state', 'decision']);
    expect((await own.ledger.entriesOf('order-1')).at(-1)?.fact).toEqual(decisionBy('Ann'));
  });

  test('adds its entries after those that another writer has added meanwhile', async () => {
    const own = await testLedger();
    const other = openLedger(own.url);
    await own.ledger.claim(CLAIM);
    expect(await other.record(CLAIM, [opened, stateOf(1)])).toBe(2);
    expect(await own.ledger.record(CLAIM, [stateOf(1), stateOf(2)])).toBe(1);
    expect(await other.record(CLAIM, [stateOf(2), stateOf(3)])).toBe(1);
    expect(await chainOf(own)).toEqual(['claimed', 'opened', 'state', 'state', 'state']);
  });

  test('accepts an action that another writer’s entries have made possible', async () => {
    const own = await testLedger();
    const other = openLedger(own.url);
    expect(await own.ledger.record(CLAIM, [opened])).toBeUndefined();
    await other.claim(CLAIM);
    expect(await own.ledger.handleReturn('order-1', erasure).catch(String)).toMatch('has come back');
    await other.record(CLAIM, [opened, { kind: 'returned', at, amount: 25 }]);
    expect(await own.ledger.handleReturn('order-1', erasure)).toBe(true);
    expect(await chainOf(own)).toEqual(['claimed', 'opened', 'returned', 'handled']);
  });

  test('answers a claim from the entries that another writer has added meanwhile', async () => {
    const { url, ledger } = await testLedger();
    const other = openLedger(url);
    await ledger.claim(CLAIM);
    await other.record(CLAIM, [opened]);
    expect(await ledger.claim(CLAIM)).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(await other.claim({ ...CLAIM, firstRunId: 'run-2' })).toMatchObject({ outcome: 'created' });
    // The key now belongs to another workflow. The entry still goes to the claim of the workflow that reports it.
    expect(await ledger.record(CLAIM, [stateOf(1)])).toBe(1);
    expect((await ledger.entriesOf('order-1')).map(({ claim, fact }) => [claim, fact.kind])).toEqual([
      [1, 'claimed'],
      [1, 'opened'],
      [2, 'claimed'],
      [2, 'opened'],
      [1, 'state'],
    ]);
  });

  test('leaves no gap in the numbers after a restore of the database has removed the last entry', async () => {
    const own = await testLedger();
    await own.ledger.claim(CLAIM);
    await own.ledger.record(CLAIM, [opened, stateOf(1)]);
    await own.database.transaction(async (statements) => {
      await statements.query(`set local session_replication_role = 'replica'`);
      await statements.query('delete from paysession_ledger.unsequenced where number = 3');
      await statements.query('delete from paysession_ledger.entries where number = 3');
    });
    expect(await own.ledger.record(CLAIM, [stateOf(1), stateOf(2)])).toBe(2);
    expect(await chainOf(own)).toEqual(['claimed', 'opened', 'state', 'state']);
  });

  test('records personal data after a restore of the database has removed the key’s claim', async () => {
    const own = await testLedger();
    await own.ledger.claim(CLAIM);
    await own.database.transaction(async (statements) => {
      await statements.query(`set local session_replication_role = 'replica'`);
      for (const table of ['unsequenced', 'entries', 'session_keys', 'claims'])
        await statements.query(`delete from paysession_ledger.${table}`);
    });
    expect(await own.ledger.record(CLAIM, [decisionBy('Ann')])).toBeUndefined();
    expect(await own.ledger.recordEnded(CLAIM, [opened, decisionBy('Ann')])).toBe(3);
    expect(await chainOf(own)).toEqual(['claimed', 'opened', 'decision']);
  });

  test('writes no personal data once another process has erased the session’s personal data', async () => {
    const own = await testLedger();
    await own.ledger.claim(CLAIM);
    await openLedger(own.url).erase('order-1', erasure);
    expect(await own.ledger.record(CLAIM, [decisionBy('Dot'), stateOf(1)])).toBe(2);
    expect(await own.ledger.claim({ ...CLAIM, firstRunId: 'run-2' })).toEqual({ outcome: 'conflict' });
    expect(await chainOf(own)).toEqual(['claimed', 'erased', 'decision', 'state']);
    const sealed = 'select 1 from paysession_ledger.entries where sealed is not null';
    expect(await own.database.query(sealed)).toHaveLength(1);
  });
});

describe('the keys whose entries a ledger client keeps in memory', () => {
  const entry = (fact: LedgerFact, id = 'any'): KnownEntry => ({
    claim: 1,
    id,
    fact,
    hash: Buffer.alloc(32),
  });
  const { request: _request, ...claim } = CLAIM;
  const claimed: LedgerFact = {
    kind: 'claimed',
    ...claim,
    sessionKind: 'EFT',
    direction: 'DEBIT',
    currency: 'CAD',
  };
  const known = (...facts: readonly LedgerFact[]) =>
    withEntries(
      NEW_KEY,
      [claimed, ...facts].map((fact) => entry(fact)),
    );

  test('are the thousand keys to which entries were added last', () => {
    const remembered = new RememberedKeys();
    for (let number = 0; number < 1_000; number += 1) remembered.put(`order-${number}`, known(opened));
    remembered.put('order-0', known(opened, stateOf(1)));
    remembered.put('order-1000', known(opened));
    expect(remembered.get('order-0')?.count).toBe(3);
    expect(remembered.get('order-1')).toBeUndefined();
  });

  test('do not include a key with more than 30 entries, or a key whose session has ended', () => {
    const remembered = new RememberedKeys();
    remembered.put('long', known(...Array.from({ length: 30 }, (_one, index) => stateOf(index))));
    remembered.put(
      'over',
      known(opened, { kind: 'ended', at, firstRunId: 'run-1', paid: true, leftNothing: false }),
    );
    expect([remembered.get('long'), remembered.get('over')]).toEqual([undefined, undefined]);
  });
});
