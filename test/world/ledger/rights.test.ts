import { expect, test } from '@jest/globals';
import { migrate, newSigningKey, readSigningKey, type LedgerFact } from '../../../ledger';
import { readProjectFile } from '../../support/compose/load-compose';
import { CLAIM } from '../../support/ledger/claim';
import { connectTo, emptyDatabase, openLedger, useOwnPostgres } from '../../support/ledger/test-ledger';

const OPENED: LedgerFact = { kind: 'opened', at: CLAIM.at, sessionId: 'session-1', how: 'create' };
const ROLES = { workers: 'paysession_worker', keeper: 'paysession_keeper' };

/** What the script for PostgreSQL's image gives to psql, which puts the passwords in their places. */
function rolesWith(password: string): string {
  const script = readProjectFile('deploy/compose/ledger-roles.sh');
  const [, sql = ''] = /<<'SQL'\n(.*)\nSQL\n$/s.exec(script) ?? [];
  return sql.replace(":'worker'", `'${password}'`).replace(":'keeper'", `'${password}'`);
}

// Roles belong to the whole server.
useOwnPostgres();

test('a migration gives the workers’ role what it needs to claim, record and read; it changes and removes nothing. The keeper’s makes checkpoints as well', async () => {
  const url = await emptyDatabase();
  const owner = connectTo(url);
  await expect(migrate(owner, ROLES)).rejects.toMatchObject({
    code: 'LEDGER_REFUSED',
    message: expect.stringContaining('create role "paysession_worker"'),
  });
  await owner.query(rolesWith('secret'));
  expect(await migrate(owner, ROLES)).not.toEqual([]);
  expect(await migrate(owner, ROLES)).toEqual([]);

  const workerUrl = url.replace(/\/\/[^@]*@/, '//paysession_worker:secret@');
  const ledger = openLedger(workerUrl);
  expect(await ledger.claim(CLAIM)).toEqual({ outcome: 'claimed' });
  const endpoint = { name: 'shop', url: 'https://shop.example', secrets: [] };
  await ledger.news.register([endpoint]);
  expect(await ledger.record(CLAIM, [OPENED])).toBe(1);
  const [news] = await ledger.news.take([{ endpoint: 'shop', settings: '', most: 1 }], 'lease');
  expect(news).toMatchObject({ key: CLAIM.key, from: 2, to: 2 });
  expect(news && (await ledger.news.done(news, 2))).toBeUndefined();
  expect((await ledger.entriesOf(CLAIM.key)).map(({ fact }) => fact.kind)).toEqual(['claimed', 'opened']);
  const erasure = ledger.erase(CLAIM.key, { by: 'ann', reason: 'asked' });
  await expect(erasure).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });

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

test('Compose and the guide give them so', () => {
  const command = `migrate --grant ${ROLES.workers} --grant-keeper ${ROLES.keeper}`;
  expect(readProjectFile('docs/guides/ledger.md')).toContain(`paysession ledger ${command}\n`);
  const inCompose = command.split(' ').map((word) => `'${word}'`);
  expect(readProjectFile('docker-compose.yml')).toContain(`['ledger', ${inCompose.join(', ')}]`);
});
