import { expect, test } from '@jest/globals';
import { isSignedBy, readCheckpoint, writeCheckpoint } from '../../../ledger/log/signed-note';
import { CLAIM } from '../../support/ledger/claim';
import { newSigner } from '../../support/ledger/kept-ledger';
import { testLedger } from '../../support/ledger/test-ledger';

const TAMPERED = { code: 'LEDGER_TAMPERED' };
const signer = newSigner();

// A checkpoint is a signed digest of the ledger’s log up to an entry. A user keeps copies of checkpoints elsewhere. Before the
// ledger signs the next checkpoint, it compares its log with its own earlier checkpoints and with the kept ones.

/** Returns a ledger that has signed a checkpoint after each of its entries. */
async function checkpointed(entries: number) {
  const own = await testLedger();
  const notes: string[] = [];
  for (let count = 1; count <= entries; count += 1) {
    await own.ledger.claim({ ...CLAIM, key: `order-${count}` });
    notes.push((await own.ledger.checkpoint(signer, notes)).note);
  }
  const changed = (sql: string) =>
    own.database.transaction(async (statements) => {
      await statements.query(`set local session_replication_role = 'replica'`);
      await statements.query(sql);
    });
  return { ...own, notes, changed };
}

test('the ledger signs a checkpoint only if its log continues every kept checkpoint', async () => {
  const { ledger, notes } = await checkpointed(3);
  expect((await ledger.checkpoint(signer, notes)).note).toBe(notes.at(-1));
  const [first = ''] = notes;
  const other = writeCheckpoint({ size: 2, root: readCheckpoint(first)?.root ?? Buffer.alloc(32) }, signer);
  await expect(ledger.checkpoint(signer, [...notes, other])).rejects.toMatchObject(TAMPERED);
  await expect(ledger.checkpoint(signer, 'no checkpoint')).rejects.toMatchObject(TAMPERED);
});

test.each([
  [
    'peaks of the newest checkpoint',
    `update paysession_ledger.checkpoints set peaks = sha256(peaks) || sha256('x') where size = 3`,
  ],
  [
    'peaks of an earlier checkpoint',
    `update paysession_ledger.checkpoints set peaks = sha256(peaks) where size = 2`,
  ],
  [
    'root of an earlier checkpoint',
    `update paysession_ledger.checkpoints set note = (select note from paysession_ledger.checkpoints where size = 1) where size = 2`,
  ],
  ['leaf of the log', `update paysession_ledger.log set leaf = sha256(leaf) where position = 1`],
  ['log position of an entry', `update paysession_ledger.log set position = 7 where position = 2`],
  [
    'log, by an added row',
    `alter table paysession_ledger.log drop constraint log_position_check;
    insert into paysession_ledger.log select -1, environment, key, 9, leaf from paysession_ledger.log where position = 0`,
  ],
])('the ledger signs no checkpoint after tampering with the %s', async (_what, sql) => {
  const { ledger, notes, changed } = await checkpointed(3);
  await changed(sql);
  await expect(ledger.checkpoint(signer, notes.slice(0, 1))).rejects.toMatchObject(TAMPERED);
});

test('if another key has signed the newest checkpoint, the ledger compares it with the whole log, and then signs it with its own key', async () => {
  const { ledger, changed } = await checkpointed(2);
  const stranger = newSigner();
  const root = readCheckpoint((await ledger.checkpoint(signer)).note)?.root ?? Buffer.alloc(32);
  await changed(
    `update paysession_ledger.checkpoints set note = '${writeCheckpoint({ size: 2, root }, stranger)}' where size = 2`,
  );
  const { note } = await ledger.checkpoint(signer);
  expect([signer, stranger].map(({ verifierKey }) => isSignedBy(note, verifierKey))).toEqual([true, false]);
  const forged = { size: 2, root: Buffer.alloc(32, 1) };
  await changed(
    `update paysession_ledger.checkpoints set note = '${writeCheckpoint(forged, stranger)}', peaks = '\\x${'01'.repeat(32)}' where size = 2`,
  );
  await expect(ledger.checkpoint(signer)).rejects.toMatchObject(TAMPERED);
});
