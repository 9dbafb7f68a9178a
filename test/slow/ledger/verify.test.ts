import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { newSigningKey, readSigningKey } from '../../../ledger/log/signed-note';
import { eft } from '../../support/requests';
import { seededRandom, testSeed } from '../../support/seed';
import { faultAfter } from '../../support/ledger/fault-after';
import { TAMPERINGS, tamper, type Tampering } from '../../support/ledger/tamperings';
import { openLedger, testLedger, type TestLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';

const signerOf = (name: string) => {
  const signer = readSigningKey(newSigningKey(name));
  if (signer === undefined) throw new Error('a new key cannot be read');
  return signer;
};
const signer = signerOf('shop.example/ledger');
const { verifierKey } = signer;

const factsOf = (name: string): readonly LedgerFact[] => [
  { kind: 'opened', at, sessionId: name, how: 'create' },
  { kind: 'state', at, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
  { kind: 'state', at, number: 2, status: 'Completed', code: 'EFT0301', source: 'poll' },
];

async function fill({ ledger }: Pick<TestLedger, 'ledger'>, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const key = `order-${index}`;
    const who = { account: 'default', firstRunId: `run-${index}`, fingerprint: key };
    await ledger.claim({ key, request: eft(), at, ...who });
    await ledger.record({ key, ...who }, factsOf(key));
  }
}

describe('an untouched ledger', () => {
  test('agrees with all its checkpoints and with a kept checkpoint', async () => {
    const own = await testLedger();
    await fill(own, 0, 3);
    const first = await own.ledger.checkpoint(signer);
    expect(first).toMatchObject({ size: 12, added: 12 });
    await fill(own, 3, 5);
    expect(await own.ledger.checkpoint(signer)).toMatchObject({ size: 20, added: 8 });
    await fill(own, 5, 6);
    const seen: number[] = [];
    const verified = await own.ledger.verify({
      since: first.note,
      verifierKey,
      onProgress: (done) => seen.push(done),
    });
    expect(verified).toEqual({ entries: 20, covered: 20, waiting: 4, checkpoints: 3 });
    expect(seen).toEqual([20]);
  });

  test('returns the same checkpoint again if there is no new entry, and only one if several are requested at once', async () => {
    const own = await testLedger();
    await fill(own, 0, 2);
    const made = await Promise.all([1, 2, 3].map(() => own.ledger.checkpoint(signer)));
    expect(new Set(made.map(({ note }) => note)).size).toBe(1);
    expect(made.map(({ added }) => added).sort()).toEqual([0, 0, 8]);
    expect(await own.ledger.verify({ verifierKey })).toMatchObject({ entries: 8, checkpoints: 1 });
  });

  test('has each entry at one position of its log, although others write at the same time', async () => {
    const own = await testLedger();
    const writers = [own.ledger, openLedger(own.url)];
    const writing = Promise.all(
      writers.map((ledger, index) => fill({ ledger }, index * 100, index * 100 + 15)),
    );
    for (let count = 0; count < 10; count += 1) await own.ledger.checkpoint(signer);
    await writing;
    await own.ledger.checkpoint(signer);
    const verified = await own.ledger.verify({ verifierKey });
    expect(verified).toMatchObject({ entries: 120, covered: 120, waiting: 0 });
    expect(verified.fault).toBeUndefined();
  });

  test('can have a key with more than a thousand entries', async () => {
    const own = await testLedger();
    await fill(own, 0, 2);
    const states = Array.from({ length: 1_200 }, (_state, index): LedgerFact => {
      return { kind: 'state', at, number: index + 3, status: 'Completed', code: 'EFT0301', source: 'poll' };
    });
    await own.ledger.record({ key: 'order-0', firstRunId: 'run-0' }, states);
    await own.ledger.checkpoint(signer);
    const verified = await own.ledger.verify({ verifierKey });
    expect(verified).toMatchObject({ entries: 1_208 });
    expect(verified.fault).toBeUndefined();
  });

  test('can be verified even if it is empty', async () => {
    const { ledger } = await testLedger();
    const { note } = await ledger.checkpoint(signer);
    expect(await ledger.verify({ since: note, verifierKey })).toEqual({
      entries: 0,
      covered: 0,
      waiting: 0,
      checkpoints: 2,
    });
  });
});

describe('a ledger that was tampered with', () => {
  test('fails the verification, for each of two hundred random tamperings', async () => {
    const own = await testLedger();
    await fill(own, 0, 4);
    await own.ledger.checkpoint(signer);
    await fill(own, 4, 8);
    const { note } = await own.ledger.checkpoint(signer);
    const random = seededRandom(testSeed());
    const missed: Tampering[] = [];
    for (let count = 0; count < 200; count += 1) {
      const kind = TAMPERINGS[count % TAMPERINGS.length] ?? 'edit';
      const fault = await faultAfter(own.database, { since: note, verifierKey }, (statements) =>
        tamper(statements, kind, random),
      );
      if (fault === undefined) missed.push(kind);
    }
    expect(missed).toEqual([]);
  });

  test('has the changed entry named by the verification', async () => {
    const { ledger, database } = await testLedger();
    await fill({ ledger }, 0, 2);
    await ledger.checkpoint(signer);
    await database.query('alter table paysession_ledger.entries disable trigger all');
    await database.query(
      `update paysession_ledger.entries set body = replace(body, 'EFT0301', 'EFT0302') where key = 'order-1'`,
    );
    const { fault } = await ledger.verify({ verifierKey });
    expect(fault).toEqual({
      kind: 'edited',
      message: 'An entry was changed after it was written.',
      entry: { environment: 'default', key: 'order-1', number: 4 },
      position: 7,
    });
  });

  test('fails the verification if its checkpoints are signed with another key', async () => {
    const { ledger } = await testLedger();
    await fill({ ledger }, 0, 1);
    await ledger.checkpoint(signerOf('shop.example/ledger'));
    expect((await ledger.verify({ verifierKey })).fault).toMatchObject({ kind: 'forged' });
    expect((await ledger.verify({ since: 'no checkpoint' })).fault).toMatchObject({ kind: 'forged' });
  });
});
