import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { hashOf } from '../../../ledger/entry-hash';
import { commitmentTo } from '../../../ledger/session-key';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';
import { eft } from '../../support/requests';
import { CLAIM } from '../../support/ledger/claim';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';
const stateOf = (number: number, status: string): LedgerFact => ({
  kind: 'state',
  at,
  number,
  status,
  source: 'poll',
});

const keyNamed = (id: string) => ({ id, secret: createHash('sha256').update(id).digest() });

describe('the ledger’s entries of a session', () => {
  test('are numbered without a gap if three writers record the same facts at once', async () => {
    const { url, ledger, database } = await testLedger();
    const writers = [ledger, openLedger(url), openLedger(url)];
    const facts = Array.from({ length: 8 }, (_one, index) => stateOf(index + 1, `Status${index}`));
    await ledger.claim(CLAIM);
    await Promise.all(writers.flatMap((writer) => facts.map((fact) => writer.record(CLAIM, [fact]))));
    const entries = await ledger.entriesOf('order-1');
    expect(entries.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const rows = await database.query<{ id: string }>('select distinct id from paysession_ledger.entries');
    expect(rows).toHaveLength(9);
  });

  test('include two decisions of the same number from two workflows of the key', async () => {
    const { ledger } = await testLedger();
    const first = { kind: 'decision', at, number: 1, decision: 'cancel', result: 'neverCreated' } as const;
    const other = { ...first, at: '2026-03-02T12:00:00.000Z' };
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [first, other]);
    expect(await ledger.record(CLAIM, [other, first])).toBe(0);
  });

  test('include a decision with the same id only once, although it is reported with another time and number', async () => {
    const { ledger } = await testLedger();
    const decided = {
      kind: 'decision',
      at,
      number: 1,
      decision: 'adopt',
      result: 'SESSION_MISMATCH',
    } as const;
    const later = { ...decided, at: '2026-03-01T12:00:05.000Z', number: 2 };
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [{ ...decided, id: 'run-1-a' }]);
    expect(await ledger.record(CLAIM, [{ ...later, id: 'run-1-a' }])).toBe(0);
    expect(await ledger.record(CLAIM, [{ ...decided, id: 'run-2-b' }])).toBe(1);
    expect(await ledger.record(CLAIM, [decided, later])).toBe(2);
  });

  test('of one call are all added, or none of them if one is invalid', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [stateOf(1, 'Initiated'), stateOf(2, 'Completed')]);
    const bad = { ...stateOf(3, 'Failed'), at: 'no time' };
    await expect(ledger.record(CLAIM, [stateOf(4, 'Expired'), bad])).rejects.toMatchObject({
      code: 'LEDGER_REFUSED',
    });
    expect(await database.query('select 1 from paysession_ledger.entries')).toHaveLength(3);
  });

  test('form a chain: each hash covers all stored fields and the previous hash, and the first hash covers the session’s encryption key', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [stateOf(1, 'Initiated'), stateOf(2, 'Completed')]);
    const rows = await database.query<Record<string, never>>(
      'select * from paysession_ledger.entries order by number',
    );
    const [key] = await database.query<{ wrapped: Buffer }>(
      'select wrapped from paysession_ledger.session_keys',
    );
    let previous = commitmentTo(key?.wrapped ?? Buffer.alloc(0));
    for (const row of rows) {
      const {
        hash,
        recorded_at: recordedAt,
        at: happenedAt,
        ...stored
      } = row as unknown as {
        hash: Buffer;
        recorded_at: Date;
        at: Date;
      };
      const times = { at: happenedAt.toISOString(), recordedAt: recordedAt.toISOString() };
      expect(hashOf({ ...(stored as never as Parameters<typeof hashOf>[0]), ...times, previous })).toEqual(
        hash,
      );
      previous = hash;
    }
    expect(rows).toHaveLength(3);
  });

  test('have different hashes if any field differs, or if a text moves from one field to the next', () => {
    const texts = fc.tuple(fc.string(), fc.string(), fc.string(), fc.string());
    const entryOf = ([environment, key, id, body]: readonly [string, string, string, string]) =>
      hashOf({
        environment,
        key,
        number: 1,
        claim: 1,
        id,
        kind: 'state',
        at,
        recordedAt: at,
        body,
        sealed: null,
        previous: Buffer.alloc(0),
      }).toString('hex');
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const isSame = one.every((text, index) => text === other[index]);
        return (entryOf(one) === entryOf(other)) === isSame;
      }),
    );
    expect(entryOf(['a', 'bc', '', ''])).not.toBe(entryOf(['ab', 'c', '', '']));
  });

  test.each([
    'update paysession_ledger.entries set body = body',
    'delete from paysession_ledger.entries',
    'truncate paysession_ledger.entries',
  ])('cannot be changed: the database refuses %s', async (statement) => {
    const { ledger, database } = await testLedger();
    await ledger.claim(CLAIM);
    await expect(database.query(statement)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
    expect(await ledger.entriesOf('order-1')).toHaveLength(1);
  });
});

describe('personal data in the ledger', () => {
  const request = eft();
  const personal = [request.payor.firstName, request.payor.email, request.payor.lastName];

  // Each session has its own encryption key in the table `session_keys`. An encryption key of the settings wraps (encrypts) it.
  test('is encrypted, and readable only with the encryption key that wraps the session’s key', async () => {
    const encryption = { current: keyNamed('2026-01') };
    const { url, ledger, database } = await testLedger({ encryption });
    await ledger.claim({ ...CLAIM, request });
    const stored = JSON.stringify(await database.query('select * from paysession_ledger.entries'));
    for (const text of personal) expect(stored).not.toContain(text);
    const [entry] = await ledger.entriesOf('order-1');
    expect(entry?.fact).toMatchObject({ kind: 'claimed', request });
    const rotated = openLedger(url, {
      encryption: { current: keyNamed('2026-02'), earlier: [keyNamed('2026-01')] },
    });
    expect((await rotated.entriesOf('order-1'))[0]?.fact).toMatchObject({ request });
    const without = openLedger(url, { encryption: { current: keyNamed('2026-02') } });
    await expect(without.entriesOf('order-1')).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISSING' });
  });

  describe('is not encrypted and not read with a session’s key', () => {
    const encryption = { current: keyNamed('2026-01') };
    const decision = {
      kind: 'decision',
      at,
      number: 1,
      decision: 'cancel',
      by: 'Ann',
      result: 'cancelled',
    } as const;

    test('that is stored unwrapped, if the settings have encryption keys', async () => {
      const { url, ledger, database } = await testLedger();
      await ledger.claim({ ...CLAIM, request });
      const keyed = openLedger(url, { encryption });
      const refused = { code: 'ENCRYPTION_REQUIRED', message: expect.stringContaining('ledger rewrap') };
      await expect(keyed.entriesOf('order-1')).rejects.toMatchObject(refused);
      await expect(keyed.record(CLAIM, [decision])).rejects.toMatchObject(refused);
      for await (const { rewrapped } of keyed.rewrap()) expect(rewrapped).toBe(1);
      expect(await keyed.record(CLAIM, [decision])).toBe(1);
      const [own] = await database.query('select wrapped_with from paysession_ledger.session_keys');
      expect(own).toEqual({ wrapped_with: '2026-01' });
    });

    test.each([[undefined], [encryption]])(
      'that an attacker has replaced (encryption keys of the settings: %o)',
      async (keys) => {
        const { ledger, database } = await testLedger({ encryption: keys });
        await ledger.claim({ ...CLAIM, request });
        await ledger.record(CLAIM, [stateOf(1, 'Initiated')]);
        await database.query(
          'update paysession_ledger.session_keys set wrapped = sha256(wrapped), wrapped_with = null',
        );
        const code = keys === undefined ? 'ENCRYPTION_TAMPERED' : 'ENCRYPTION_REQUIRED';
        await expect(ledger.entriesOf('order-1')).rejects.toMatchObject({ code });
        await expect(ledger.record(CLAIM, [decision])).rejects.toMatchObject({ code });
        if (keys === undefined) return;
        const rewrap = async () => {
          for await (const { rewrapped } of ledger.rewrap()) expect(rewrapped).toBe(0);
        };
        await expect(rewrap()).rejects.toMatchObject({ code: 'ENCRYPTION_TAMPERED' });
      },
    );

    test('that an attacker has copied from another session', async () => {
      const { ledger, database } = await testLedger({ encryption });
      await ledger.claim({ ...CLAIM, request });
      await ledger.claim({ ...CLAIM, key: 'order-2', request });
      await database.query(
        `update paysession_ledger.session_keys own set wrapped = other.wrapped
          from paysession_ledger.session_keys other where own.key = 'order-1' and other.key = 'order-2'`,
      );
      await expect(ledger.entriesOf('order-1')).rejects.toMatchObject({ code: 'ENCRYPTION_TAMPERED' });
    });
  });

  test('is unreadable once the session’s key is deleted, and all other data stays readable', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim({ ...CLAIM, request });
    await database.query('update paysession_ledger.session_keys set wrapped = null');
    await ledger.record(CLAIM, [
      { kind: 'decision', at, number: 1, decision: 'cancel', by: 'Ann', result: 'cancelled' },
    ]);
    const facts = (await ledger.entriesOf('order-1')).map(({ fact }) => fact);
    expect(facts).toEqual([
      expect.objectContaining({ kind: 'claimed', sessionKind: 'EFT' }),
      { kind: 'decision', at, number: 1, decision: 'cancel', result: 'cancelled' },
    ]);
    expect(JSON.stringify(facts)).not.toContain(request.payor.email);
  });

  test('includes an unknown text that the payment service sends as a status', async () => {
    const { ledger, database } = await testLedger();
    const odd: LedgerFact = { ...stateOf(1, 'paid by Avery Tremblay'), code: 'EFT0301' } as LedgerFact;
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [odd]);
    const [row] = await database.query<{ body: string }>(
      "select body from paysession_ledger.entries where kind = 'state'",
    );
    expect(JSON.parse(row?.body ?? '')).toMatchObject({ status: 'unreadable', code: 'EFT0301' });
    expect((await ledger.entriesOf('order-1'))[1]?.fact).toEqual(odd);
  });
});
