import { expect, test } from '@jest/globals';
import { isSignedBy, readCheckpoint, writeCheckpoint } from '../../../ledger/log/signed-note';
import { CLAIM } from '../../support/ledger/claim';
import { newSigner } from '../../support/ledger/kept-ledger';
import { testLedger } from '../../support/ledger/test-ledger';

const TAMPERED = { code: 'LEDGER_TAMPERED' };
const signer = newSigner();

/** Returns a ledger with a checkpoint after each of its entries. */
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

test('a checkpoint is signed only if the ledger’s log continues each kept checkpoint', async () => {
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
  ['place of an entry', `update paysession_ledger.log set position = 7 where position = 2`],
  [
    'place of an added row',
    `alter table paysession_ledger.log drop constraint log_position_check;
    insert into paysession_ledger.log select -1, environment, key, 9, leaf from paysession_ledger.log where position = 0`,
  ],
])('a ledger signs no checkpoint after a change of the %s', async (_what, sql) => {
  const { ledger, notes, changed } = await checkpointed(3);
  await changed(sql);
  await expect(ledger.checkpoint(signer, notes.slice(0, 1))).rejects.toMatchObject(TAMPERED);
});

test('a newest checkpoint that another key has signed is compared with the whole log, and returned with a signature of this key', async () => {
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
