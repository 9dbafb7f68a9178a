import { describe, expect, test } from '@jest/globals';
import { migrate } from '../../../ledger';
import {
  plannedMigrations,
  checkSchema,
  allMigrations,
  type Migration,
} from '../../../ledger/postgres/migrate';
import { RECORDED_SCHEMA } from '../../../ledger/postgres/recorded-schema';
import { CLAIM } from '../../support/ledger/claim';
import { strictPooler } from '../../support/ledger/strict-pooler';
import {
  connectTo,
  newDatabase,
  openLedger,
  postgresUrl,
  testLedger,
} from '../../support/ledger/test-ledger';
import { describeSchema } from '../../../ledger/postgres/compare-schema';

describe('the tables of the ledger', () => {
  test('are created by the first migration, and a second migration changes nothing', async () => {
    const database = connectTo(await newDatabase());
    const planned = (await plannedMigrations(database)).map(({ name }) => name);
    expect(planned).toEqual(['0001-ledger']);
    expect((await migrate(database)).map(({ name }) => name)).toEqual(planned);
    expect(await migrate(database)).toEqual([]);
    expect(await plannedMigrations(database)).toEqual([]);
  });

  test('are created once if four migrations run at the same time', async () => {
    const url = await newDatabase();
    const made = await Promise.all([1, 2, 3, 4].map(() => migrate(connectTo(url))));
    expect(made.filter((steps) => steps.length > 0)).toHaveLength(1);
  });

  test('are missing in an empty database: the ledger’s error names the command that creates them', async () => {
    const ledger = openLedger(await newDatabase());
    await expect(ledger.check()).rejects.toMatchObject({
      code: 'LEDGER_SCHEMA_OUTDATED',
      message: expect.stringContaining('paysession ledger migrate'),
    });
  });

  test('may come from a newer version: the ledger and the migration then fail with LEDGER_SCHEMA_NEWER', async () => {
    const url = await newDatabase();
    const database = connectTo(url);
    await migrate(database);
    await database.query(
      "insert into paysession_ledger.migrations (number, name) values (9999, '9999-later')",
    );
    await expect(openLedger(url).check()).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_NEWER' });
    await expect(migrate(database)).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_NEWER' });
  });

  test('equal the recorded schema, with which ledger verify compares them (npm run record:schema)', async () => {
    const { database } = await testLedger();
    expect(await describeSchema(database)).toEqual(RECORDED_SCHEMA);
  });
});

describe('the ledger’s migration of a later version', () => {
  const later = (sql: string): readonly Migration[] => [
    ...allMigrations(),
    { number: 2, name: '0002-later', sql },
  ];
  const ADD_NOTES = "alter table paysession_ledger.entries add column note text not null default 'none'";

  test('runs once on an existing ledger, and keeps the entries', async () => {
    const { ledger, database } = await testLedger();
    await ledger.claim(CLAIM);
    const migrations = later(ADD_NOTES);
    await expect(checkSchema(database, migrations)).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_OUTDATED' });
    expect(await plannedMigrations(database, migrations)).toMatchObject([{ name: '0002-later' }]);
    expect(await migrate(database, {}, migrations)).toMatchObject([{ name: '0002-later' }]);
    expect(await migrate(database, {}, migrations)).toEqual([]);
    await expect(checkSchema(database, migrations)).resolves.toBeUndefined();
    await expect(ledger.check()).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_NEWER' });
    expect(await database.query('select note from paysession_ledger.entries')).toEqual([{ note: 'none' }]);
  });

  test('runs after the first migration in an empty database', async () => {
    const database = connectTo(await newDatabase());
    const made = await migrate(database, {}, later(ADD_NOTES));
    expect(made.map(({ name }) => name)).toEqual(['0001-ledger', '0002-later']);
  });

  test('changes nothing if it fails', async () => {
    const { database } = await testLedger();
    const failing = later(`${ADD_NOTES}; select 1 / 0`);
    await expect(migrate(database, {}, failing)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
    await expect(checkSchema(database)).resolves.toBeUndefined();
    expect(await migrate(database, {}, later(ADD_NOTES))).toMatchObject([{ name: '0002-later' }]);
  });
});

describe('a ledger that cannot be used', () => {
  test.each([
    ['no server listens there', 'LEDGER_UNAVAILABLE', () => 'postgresql://paysession:x@127.0.0.1:1/postgres'],
    ['the password is wrong', 'LEDGER_REFUSED', (url: string) => url.replace(/:[^:@/]+@/, ':wrong@')],
    ['the database is missing', 'LEDGER_REFUSED', (url: string) => url.replace(/[^/]*$/, 'nowhere')],
  ])('fails with an error that hides the password if %s', async (_why, code, urlOf) => {
    const url = await postgresUrl();
    const error: unknown = await openLedger(urlOf(url))
      .check()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code });
    const secret = /:([^:@/]+)@/.exec(url)?.[1] ?? '';
    expect(String(error)).not.toContain(secret);
  });
});

// A connection pooler such as PgBouncer refuses unknown connection parameters. So the ledger sets its time limit by a statement.
test('a ledger limits the time of its statements through a pooler that accepts only PgBouncer’s parameters', async () => {
  const { url } = await testLedger();
  const database = connectTo(await strictPooler(url));
  expect(await database.query('show statement_timeout')).toEqual([{ statement_timeout: '5s' }]);
  const inside = database.transaction((statements) => statements.query('show statement_timeout'));
  expect(await inside).toEqual([{ statement_timeout: '0' }]);
});

test('if the connection breaks while the ledger sets the time limit, the call fails and the process goes on', async () => {
  const { url } = await testLedger();
  const database = connectTo(await strictPooler(url, 'set statement_timeout'));
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
});

test('if the server ends a connection between two statements of the ledger, the transaction fails and the process goes on', async () => {
  const database = connectTo(await newDatabase());
  const cut = database.transaction(async (statements) => {
    const [own] = await statements.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = own?.pid ?? 0;
    await database.query('select pg_terminate_backend($1)', [pid]);
    const there = () => database.query('select 1 from pg_stat_activity where pid = $1', [pid]);
    while ((await there()).length > 0);
    return statements.query('select 1');
  });
  await expect(cut).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
});
