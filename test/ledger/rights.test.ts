import { expect, test } from '@jest/globals';
import { migrate, newSigningKey, readSigningKey, type LedgerFact } from '../../ledger';
import { CLAIM } from '../ledger/support/claim';
import { connectTo, emptyDatabase, openLedger } from '../ledger/support/test-ledger';
import { readProjectFile } from '../compose/load-compose';

const RIGHTS = readProjectFile('deploy/compose/ledger-rights.sql');
const OPENED: LedgerFact = { kind: 'opened', at: CLAIM.at, sessionId: 'session-1', how: 'create' };

/** What the script for PostgreSQL's image gives to psql, which puts the passwords in their places. */
function rolesWith(password: string): string {
  const script = readProjectFile('deploy/compose/ledger-roles.sh');
  const [, sql = ''] = /<<'SQL'\n(.*)\nSQL\n$/s.exec(script) ?? [];
  return sql.replace(":'worker'", `'${password}'`).replace(":'keeper'", `'${password}'`);
}

test('the role of workers may claim, record and read; it changes and removes nothing. That of the keeper makes checkpoints as well', async () => {
  const url = await emptyDatabase();
  const owner = connectTo(url);
  await owner.query(rolesWith('secret'));
  await migrate(owner);
  // As at each start.
  await owner.query(RIGHTS);
  await owner.query(RIGHTS);

  const workerUrl = url.replace(/\/\/[^@]*@/, '//paysession_worker:secret@');
  const ledger = openLedger(workerUrl);
  expect(await ledger.claim(CLAIM)).toEqual({ outcome: 'claimed' });
  expect(await ledger.record(CLAIM.key, [OPENED])).toBe(1);
  expect((await ledger.entriesOf(CLAIM.key)).map(({ fact }) => fact.kind)).toEqual(['claimed', 'opened']);

  const worker = connectTo(workerUrl);
  const refused = [
    "update paysession_ledger.entries set body = '{}'",
    'delete from paysession_ledger.entries',
    'truncate paysession_ledger.entries',
    'update paysession_ledger.session_keys set key = key',
    'delete from paysession_ledger.unsequenced',
    "insert into paysession_ledger.log values (0, 'default', 'order-1', 1, '')",
    "insert into paysession_ledger.migrations (number, name) values (99, 'other')",
    'drop table paysession_ledger.entries',
  ];
  for (const statement of refused) {
    const answer = worker.query(statement).catch((error: unknown) => error);
    expect([statement, await answer]).toEqual([
      statement,
      expect.objectContaining({ code: 'LEDGER_REFUSED' }),
    ]);
  }

  const keeper = openLedger(workerUrl.replace('paysession_worker', 'paysession_keeper'));
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('a new key cannot be read');
  await keeper.claim({ ...CLAIM, key: 'order-2' });
  expect(await keeper.checkpoint(signer)).toMatchObject({ size: 3, added: 3 });
  expect((await keeper.verify({ verifierKey: signer.verifierKey })).fault).toBeUndefined();
});

test('the guide gives the same rights', () => {
  const grants = RIGHTS.split('\n').filter((line) => line.startsWith('grant '));
  expect(grants).toHaveLength(6);
  for (const grant of grants) expect(readProjectFile('docs/guides/ledger.md')).toContain(grant);
});
