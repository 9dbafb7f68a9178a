import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { migrate, newSigningKey, readSigningKey, type LedgerFact } from '../../../ledger';
import { readProjectFile } from '../../support/compose/load-compose';
import { CLAIM } from '../../support/ledger/claim';
import { reconcileWhole } from '../../support/ledger/reconciliation-files';
import {
  connectTo,
  newDatabase,
  openLedger,
  testLedger,
  useOwnPostgres,
} from '../../support/ledger/test-ledger';

const OPENED: LedgerFact = { kind: 'opened', at: CLAIM.at, sessionId: 'session-1', how: 'create' };
const STATE: LedgerFact = { kind: 'state', at: CLAIM.at, number: 1, status: 'Initiated', source: 'poll' };
const UNKNOWN = 'reference,amount,date,kind\nnobody,1.00,2026-09-01,settled\n';
const ROLES = { workers: 'paysession_worker', keeper: 'paysession_keeper' };

/** Returns the SQL that creates the roles: the input that our script for PostgreSQL’s image passes to psql, with the password filled in. */
function rolesWith(password: string): string {
  const script = readProjectFile('deploy/compose/ledger-roles.sh');
  const [, sql = ''] = /<<'SQL'\n(.*)\nSQL\n$/s.exec(script) ?? [];
  return sql.replace(":'worker'", `'${password}'`).replace(":'keeper'", `'${password}'`);
}

// Roles belong to a whole PostgreSQL server. So these tests start their own server.
useOwnPostgres();

test('a migration grants the workers’ role to claim, record and read, and the keeper’s role also to make checkpoints; both roles cannot change entries', async () => {
  const url = await newDatabase();
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
  await ledger.webhookEndpoints.register([endpoint]);
  expect(await ledger.record(CLAIM, [OPENED])).toBe(1);
  const [webhooks] = await ledger.webhooks.take([{ endpoint: 'shop', settings: '', most: 1 }], 'lease');
  expect(webhooks).toMatchObject({ key: CLAIM.key, from: 2, to: 2 });
  const answer = { id: 'msg_1', type: 'session.opened', state: 'delivered', outcome: 'HTTP 204' } as const;
  if (webhooks !== undefined) await ledger.webhookDeliveries.record(webhooks, 2, [answer]);
  expect((await ledger.webhookDeliveries.of(CLAIM.key)).deliveries).toMatchObject([{ id: 'msg_1' }]);
  await ledger.webhookDeliveries.removeOld();
  expect(webhooks && (await ledger.webhooks.done(webhooks, 2))).toBeUndefined();
  expect((await ledger.entriesOf(CLAIM.key)).map(({ fact }) => fact.kind)).toEqual(['claimed', 'opened']);
  const [line] = await reconcileWhole(ledger, UNKNOWN);
  expect(await ledger.explainLine(line?.id ?? '', { by: 'ann', reason: 'asked' })).toBe('explained');
  const erasure = ledger.erase(CLAIM.key, { by: 'ann', reason: 'asked' });
  await expect(erasure).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });

  const worker = connectTo(workerUrl);
  const refused = [
    "update paysession_ledger.entries set body = '{}'",
    'delete from paysession_ledger.entries',
    'truncate paysession_ledger.entries',
    'update paysession_ledger.session_keys set key = key',
    'delete from paysession_ledger.unsequenced',
    "insert into paysession_ledger.unsequenced values ('default', 'order-1', 1)",
    "insert into paysession_ledger.writers values ('paysession_worker', 'other')",
    "insert into paysession_ledger.log values (0, 'default', 'order-1', 1, '')",
    "insert into paysession_ledger.migrations (number, name) values (99, 'other')",
    'drop table paysession_ledger.entries',
    'delete from paysession_ledger.unmatched_lines',
    'delete from paysession_ledger.reconciliation_runs',
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

test('a role of the ledger and its member roles can write only in the environments that were granted to the role', async () => {
  const url = await newDatabase();
  const owner = connectTo(url);
  await owner.query(
    `create role staging_worker login password 'secret'; create role staging_pod login password 'secret' in role staging_worker`,
  );
  await migrate(owner, { workers: 'staging_worker', environments: ['staging'] });
  const shop = { name: 'shop', url: 'https://shop.example', secrets: [] };
  const production = openLedger(url, { environment: 'production' });
  await production.webhookEndpoints.register([shop]);
  await production.claim(CLAIM);
  await production.record(CLAIM, [OPENED]);

  for (const role of ['staging_worker', 'staging_pod']) {
    const roleUrl = url.replace(/\/\/[^@]*@/, `//${role}:secret@`);
    const own = openLedger(roleUrl, { environment: 'staging' });
    await own.webhookEndpoints.register([shop]);
    expect(await own.claim({ ...CLAIM, key: `order-of-${role}` })).toEqual({ outcome: 'claimed' });
    const other = openLedger(roleUrl, { environment: 'production' });
    expect(await other.entriesOf(CLAIM.key)).toHaveLength(2);
    const REFUSED = { code: 'LEDGER_REFUSED', message: expect.stringContaining('ledger migrate --grant') };
    await expect(other.claim({ ...CLAIM, key: 'order-2' })).rejects.toMatchObject(REFUSED);
    await expect(other.record(CLAIM, [STATE])).rejects.toMatchObject(REFUSED);
    await expect(other.namespaces.register({ name: 'n', id: 'n' })).rejects.toMatchObject(REFUSED);
    await expect(other.webhookEndpoints.register([shop])).rejects.toMatchObject(REFUSED);
    await reconcileWhole(own, UNKNOWN);
    await expect(reconcileWhole(other, UNKNOWN)).rejects.toMatchObject(REFUSED);
    const statements = [
      "update paysession_ledger.unmatched_lines set environment = 'production'",
      "insert into paysession_ledger.session_keys (environment, key) values ('production', 'order-3')",
      "update paysession_ledger.claims set environment = 'production'",
      'update paysession_ledger.claims set paid = true',
      'delete from paysession_ledger.webhook_outbox',
      `insert into paysession_ledger.webhook_deliveries (environment, id, endpoint, key, number, type, state, answers)
        values ('production', 'msg_1', 'shop', 'order-1', 2, 'session.opened', 'delivered', '[]')`,
      'delete from paysession_ledger.webhook_endpoints',
    ];
    for (const statement of statements)
      expect([
        statement,
        await connectTo(roleUrl)
          .query(statement)
          .catch((error: unknown) => error),
      ]).toEqual([statement, expect.objectContaining(REFUSED)]);
  }
  await migrate(owner, { workers: 'staging_worker', environments: ['production'] });
  const granted = openLedger(url.replace(/\/\/[^@]*@/, '//staging_worker:secret@'), {
    environment: 'production',
  });
  expect(await granted.claim({ ...CLAIM, key: 'order-2' })).toEqual({ outcome: 'claimed' });
});

// The table `unsequenced` lists the entries that are not in the log yet. A checkpoint moves them to the log.
test('a checkpoint skips and removes rows of `unsequenced` that have no entry', async () => {
  const { ledger, database } = await testLedger();
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('a new key cannot be read');
  await ledger.claim(CLAIM);
  expect(await ledger.checkpoint(signer)).toMatchObject({ size: 1, added: 1, skipped: 0 });
  await database.query(
    "insert into paysession_ledger.unsequenced values ('default', 'order-1', 1), ('default', 'none', 7)",
  );
  await ledger.claim({ ...CLAIM, key: 'order-2' });
  expect(await ledger.checkpoint(signer)).toMatchObject({ size: 2, added: 1, skipped: 2 });
  expect((await ledger.verify()).fault).toBeUndefined();
});

test('the workers’ role cannot take the lock with which checkpoints run', async () => {
  const url = await newDatabase();
  const owner = connectTo(url);
  await owner.query("create role idle_worker login password 'secret'");
  await migrate(owner, { workers: 'idle_worker' });
  const worker = connectTo(url.replace(/\/\/[^@]*@/, '//idle_worker:secret@'));
  const lock = 'lock table paysession_ledger.unsequenced in share update exclusive mode';
  await expect(worker.transaction((statements) => statements.query(lock))).rejects.toMatchObject({
    code: 'LEDGER_REFUSED',
  });
});

test('docker-compose.yml and the ledger guide use the same command to grant the roles of the workers and the keeper', () => {
  const command = `migrate --grant ${ROLES.workers} --grant-keeper ${ROLES.keeper}`;
  expect(readProjectFile('docs/guides/ledger.md')).toContain(`paysession ledger ${command}\n`);
  const inCompose = command.split(' ').map((word) => `'${word}'`);
  expect(readProjectFile('docker-compose.yml')).toContain(`['ledger', ${inCompose.join(', ')}]`);
});

describe('a role for reports from the ledger', () => {
  const OTHER_KEY = 'order-of-staging';
  const VIEWS = ['report_payments', 'report_entries'] as const;

  /** Returns a ledger with payments in two environments, its owner’s connection, and a `reader`: a role for reports on `production`. */
  async function reported() {
    const { url, database, ledger } = await testLedger({ environment: 'production' });
    const role = `reports_${randomUUID().slice(0, 8)}`;
    await database.query(`create role ${role} login password 'secret'`);
    await migrate(database, { reports: role, environments: ['production'] });
    await ledger.claim(CLAIM);
    await ledger.record(CLAIM, [OPENED, STATE]);
    await openLedger(url, { environment: 'staging' }).claim({ ...CLAIM, key: OTHER_KEY });
    return { database, ledger, reader: connectTo(url.replace(/\/\/[^@]*@/, `//${role}:secret@`)) };
  }

  test('can read the payments and entries of its environments, but no tables and no other environments', async () => {
    const { database, reader } = await reported();
    expect(
      await reader.query('select key, money, amount::text from paysession_ledger.report_payments'),
    ).toEqual([{ key: CLAIM.key, money: 'open', amount: String(CLAIM.request.amount) }]);
    const entries = await reader.query(
      'select number, kind, status from paysession_ledger.report_entries order by number',
    );
    expect(entries).toEqual([
      { number: 1, kind: 'claimed', status: null },
      { number: 2, kind: 'opened', status: null },
      { number: 3, kind: 'state', status: 'Initiated' },
    ]);
    for (const view of VIEWS) {
      const keys = await database.query(`select distinct key from paysession_ledger.${view} order by key`);
      expect([view, keys]).toEqual([view, [{ key: CLAIM.key }, { key: OTHER_KEY }]]);
    }
    const refused = [
      'select * from paysession_ledger.claims',
      'select * from paysession_ledger.entries',
      'select * from paysession_ledger.session_keys',
      'select * from paysession_ledger.readers',
    ];
    for (const statement of refused)
      expect([statement, await reader.query(statement).catch((error: unknown) => error)]).toEqual([
        statement,
        expect.objectContaining({ code: 'LEDGER_REFUSED' }),
      ]);
    // PostgreSQL refuses changes through these views to every role.
    for (const statement of [
      'update paysession_ledger.report_payments set paid = true',
      'delete from paysession_ledger.report_entries',
    ])
      await expect(database.query(statement)).rejects.toThrow('(55000)');
  });

  test('sees the columns that the guide documents, and ledger verify reports a changed view', async () => {
    const { database, ledger } = await reported();
    for (const view of VIEWS) {
      const columns = await database.query<{ name: string; type: string }>(
        `select column_name as name, data_type as type from information_schema.columns
          where table_schema = 'paysession_ledger' and table_name = $1 order by ordinal_position`,
        [view],
      );
      expect(columns.map(({ name, type }) => [name, type])).toEqual(documentedColumns(view));
    }
    expect(await ledger.verify()).not.toHaveProperty('fault');
    await database.query('alter view paysession_ledger.report_payments reset (security_barrier)');
    expect((await ledger.verify()).fault?.message).toBe(
      'The ledger’s view report_payments differs from the one that the migrations make.',
    );
  });

  /** Returns the column names and types that the guide lists for a view. */
  function documentedColumns(view: string): readonly (readonly string[])[] {
    const guide = readProjectFile('docs/guides/ledger-search.md');
    const [, table = ''] =
      new RegExp(`\n\`paysession_ledger.${view}\`[^\n]*\n\n((?:\\|.*\n)+)`).exec(guide) ?? [];
    return [...table.matchAll(/^\| `(\w+)` +\| `([\w ]+)` +\|/gm)].map(([, name = '', type = '']) => [
      name,
      type,
    ]);
  }
});
