import { describe, expect, test } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import type { LedgerFact } from '../../../ledger';
import { eft } from '../../support/requests';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';
const now = () => Date.parse('2026-05-01T08:30:00.000Z');
const request = eft();
const claim = { key: 'order-1', fingerprint: 'same', firstRunId: 'run-1', account: 'default', request, at };
const result = { key: 'order-1', paid: true, status: 'Completed', decisions: [{ by: 'Ann' }] };
const facts: readonly LedgerFact[] = [
  { kind: 'opened', at, sessionId: 'session-1', how: 'create' },
  { kind: 'state', at, number: 1, status: 'Completed', source: 'poll' },
  { kind: 'decision', at, number: 1, decision: 'cancel', by: 'Ann', reason: 'asked', result: 'cancelled' },
  { kind: 'anomaly', at, number: 1, anomaly: 'unknownCode', detail: 'a text of theirs' },
  { kind: 'ended', at, firstRunId: 'run-1', paid: true, leftNothing: false, result: result as never },
];
const asked = { by: 'Bea', reason: 'request 77' };

describe('a session whose personal data is erased from the ledger', () => {
  test('still has amounts, states and times, and records who erased the data and why', async () => {
    const { ledger, database } = await testLedger({ now });
    await ledger.claim(claim);
    await ledger.record(claim, facts);
    expect(await ledger.erase('order-1', asked)).toBe(true);
    const entries = (await ledger.entriesOf('order-1')).map(({ fact }) => fact);
    expect(entries).toEqual([
      expect.objectContaining({ kind: 'claimed', at, sessionKind: 'EFT', amount: request.amount }),
      facts[0],
      facts[1],
      { kind: 'decision', at, number: 1, decision: 'cancel', result: 'cancelled' },
      { kind: 'anomaly', at, number: 1, anomaly: 'unknownCode' },
      { kind: 'ended', at, firstRunId: 'run-1', paid: true, leftNothing: false },
      { kind: 'erased', at: '2026-05-01T08:30:00.000Z', ...asked },
    ]);
    expect(JSON.stringify(entries)).not.toContain(request.payor.email);
    const keys = await database.query('select wrapped, wrapped_with from paysession_ledger.session_keys');
    expect(keys).toEqual([{ wrapped: null, wrapped_with: null }]);
  });

  test('has one erasure entry if several callers request the erasure', async () => {
    const { url, ledger } = await testLedger();
    await ledger.claim(claim);
    const others = [ledger, openLedger(url), openLedger(url)];
    const done = await Promise.all(others.map((one) => one.erase('order-1', asked)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await ledger.erase('order-1', { by: 'Cay', reason: 'again' })).toBe(false);
    expect((await ledger.entriesOf('order-1')).map(({ fact }) => fact.kind)).toEqual(['claimed', 'erased']);
  });

  test('has no personal data in later entries, even from a writer that read the session’s encryption key before', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim(claim);
    await Promise.all([ledger.record(claim, facts), ledger.erase('order-1', asked)]);
    await ledger.record(claim, [
      { kind: 'decision', at, number: 2, decision: 'cancel', by: 'Dot', result: 'alreadyEnded' },
    ]);
    const entries = (await ledger.entriesOf('order-1')).map(({ fact }) => fact);
    expect(entries).toContainEqual({
      kind: 'decision',
      at,
      number: 2,
      decision: 'cancel',
      result: 'alreadyEnded',
    });
    expect(JSON.stringify(entries)).not.toMatch(/Ann|Dot|a text of theirs/);
    const [last] = await database.query<{ sealed: Buffer | null }>(
      'select sealed from paysession_ledger.entries order by number desc limit 1',
    );
    expect(last?.sealed).toBeNull();
  });

  test('still records later who handled a return, and what was done', async () => {
    const { url, ledger } = await testLedger({ now });
    await ledger.claim(claim);
    await ledger.record(claim, [{ kind: 'returned', at, amount: 25 }]);
    await openLedger(url).erase('order-1', asked);
    const handled = { by: 'Dot', reason: 'paid by card' };
    expect(await ledger.handleReturn('order-1', handled)).toBe(true);
    const entries = (await ledger.entriesOf('order-1')).map(({ fact }) => fact);
    expect(entries.at(-1)).toEqual({ kind: 'handled', at: '2026-05-01T08:30:00.000Z', ...handled });
    expect(await ledger.verify()).not.toHaveProperty('fault');
  });

  test('is a conflict for every later start, because its result cannot be read', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claim);
    await ledger.record(claim, facts);
    await ledger.erase('order-1', asked);
    expect(await ledger.claim({ ...claim, firstRunId: 'run-2' })).toEqual({ outcome: 'conflict' });
    expect(await ledger.claim({ ...claim, firstRunId: 'run-2', fingerprint: 'another' })).toEqual({
      outcome: 'conflict',
    });
  });

  test('leads its own workflow to the open session, and is a conflict for another workflow, because requests cannot be compared', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claim);
    await ledger.record(claim, facts.slice(0, 2));
    await ledger.erase('order-1', asked);
    expect(await ledger.claim(claim)).toEqual({ outcome: 'created', sessionId: 'session-1' });
    expect(await ledger.claim({ ...claim, firstRunId: 'run-2' })).toEqual({ outcome: 'conflict' });
  });

  test('leaves no digest against which a guessed request could be checked', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim({ ...claim, fingerprint: 'digest-of-the-request' });
    const bodies = () =>
      database.query<{ body: string }>("select body from paysession_ledger.entries where kind = 'claimed'");
    const [kept] = await bodies();
    const [key] = await database.query<{ wrapped: Buffer }>(
      'select wrapped from paysession_ledger.session_keys',
    );
    const { fingerprint } = JSON.parse(kept?.body ?? '') as { fingerprint: string };
    const keyed = createHmac('sha256', key?.wrapped ?? '').update(
      'paysession request 1digest-of-the-request',
    );
    expect(fingerprint).toBe(keyed.digest('base64url'));
    // A fingerprint depends on the session, so the same request has a different one under another key.
    await ledger.claim({ ...claim, key: 'order-2', fingerprint: 'digest-of-the-request' });
    expect(new Set((await bodies()).map(({ body }) => body)).size).toBe(2);
    expect(JSON.stringify(await bodies())).not.toContain('digest-of-the-request');
  });
});

describe('an erasure from the ledger', () => {
  test('needs no encryption key, so data whose key is lost can be erased', async () => {
    const secret = createHash('sha256').update('lost').digest();
    const { url, ledger } = await testLedger({ encryption: { current: { id: 'lost', secret } } });
    await ledger.claim(claim);
    const without = openLedger(url);
    expect(await without.erase('order-1', asked)).toBe(true);
    expect(await without.entriesOf('order-1')).toHaveLength(2);
  });

  test('is refused for a key that the ledger does not know', async () => {
    const { ledger } = await testLedger();
    await expect(ledger.erase('order-1', asked)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test.each([
    ['no person', { by: '', reason: 'request 77' }],
    ['no reason', { by: 'Bea', reason: '' }],
    ['too long a reason', { by: 'Bea', reason: 'x'.repeat(501) }],
  ])('that names %s is refused and changes nothing', async (_what, faulty) => {
    const { ledger } = await testLedger();
    await ledger.claim(claim);
    await expect(ledger.erase('order-1', faulty)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await ledger.entriesOf('order-1')).map(({ fact }) => fact)).toMatchObject([{ request }]);
  });
});
