import { describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { LedgerDatabase, migrate, type PaymentLedger } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import {
  connectTo,
  newDatabase,
  inEncoding,
  openLedger,
  postgresUrl,
  testLedger,
} from '../../support/ledger/test-ledger';
import { transactionPooler } from '../../support/ledger/transaction-pooler';

/** Settings that the database’s owner may have made with `ALTER DATABASE … SET`, each with a description. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "datestyle = 'SQL, DMY'": 'other dates',
  "datestyle = 'German'": 'German dates',
  "datestyle = 'Postgres, YMD'": 'dates of long ago',
  "timezone = 'America/St_Johns'": 'another time zone',
  "intervalstyle = 'sql_standard'": 'other intervals',
  "bytea_output = 'escape'": 'other bytes',
  'extra_float_digits = -15': 'few digits',
  'standard_conforming_strings = off': 'backslashes that escape',
  "search_path = 'nowhere'": 'another schema first',
  "default_transaction_isolation = 'serializable'": 'the strictest isolation',
  "default_transaction_isolation = 'repeatable read'": 'a strict isolation',
  'default_transaction_read_only = on': 'transactions that only read',
  'default_transaction_deferrable = on': 'transactions that wait',
  "lock_timeout = '1ms'": 'hardly any wait for a lock',
  "idle_in_transaction_session_timeout = '1ms'": 'hardly any pause in a transaction',
  "statement_timeout = '25ms'": 'hardly any time for a statement',
  'synchronous_commit = off': 'commits that are not durable yet',
  "client_encoding = 'LATIN1'": 'another encoding of the client',
  "xmloption = 'document'": 'another form of XML',
  "lc_numeric = 'C'": 'another locale of numbers',
  'row_security = off': 'policies that are errors',
  'enable_indexscan = off': 'other plans',
};

/** Creates an empty database with a setting for all its users, and returns its URL. */
async function databaseWith(setting: string): Promise<string> {
  const url = await newDatabase();
  const administration = new LedgerDatabase(await postgresUrl());
  try {
    await administration.query(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
  } finally {
    await administration.close();
  }
  return url;
}

/** Claims, records, lists, reconciles and proves a session in a ledger, and returns the results. */
async function live(ledger: PaymentLedger) {
  const at = '2026-05-06T14:00:00.123Z';
  await ledger.claim({ ...CLAIM, at });
  await ledger.record(CLAIM, [{ kind: 'opened', at, sessionId: 's-1', how: 'create' }]);
  await ledger.record(CLAIM, [{ kind: 'settled', at: '2026-05-07T00:00:00.000Z', amount: 25 }]);
  const sessions = [];
  for await (const session of ledger.payments.all({})) sessions.push(session);
  const [session] = sessions;
  const entries = await ledger.entriesOf(CLAIM.key);
  const days = await ledger.payments.days({ from: '2026-05-01', to: '2026-05-31', timeZone: 'UTC' });
  const { fault, entries: verified, waiting } = await ledger.verify();
  return {
    claimedAt: session?.claimedAt,
    settledAt: session?.settledAt,
    amount: session?.amount,
    kinds: entries.map(({ fact }) => fact.kind),
    days: days.map(({ figure, day }) => `${figure} ${day}`),
    fault,
    counted: verified + waiting,
  };
}

const LIVED = {
  claimedAt: '2026-05-06T14:00:00.123Z',
  settledAt: '2026-05-07T00:00:00.000Z',
  amount: 25,
  kinds: ['claimed', 'opened', 'settled'],
  days: ['opened 2026-05-06', 'settled 2026-05-07'],
  fault: undefined,
  counted: 3,
};

describe.each(Object.entries(DEFAULTS))('a ledger’s database with %s (%s)', (setting) => {
  test('can be migrated, and returns the same results as a database with PostgreSQL’s defaults', async () => {
    const url = await databaseWith(setting);
    await migrate(connectTo(url));
    expect(await live(openLedger(url))).toEqual(LIVED);
  });

  test('returns the same results through a pooler that lends a connection for one transaction at a time', async () => {
    const url = await transactionPooler(await databaseWith(setting));
    await migrate(connectTo(url));
    expect(await live(openLedger(url))).toEqual(LIVED);
  });
});

/** A query for the settings in effect. */
const SHOWN = `select current_setting('datestyle') as dates, current_setting('synchronous_commit') as commits,
  current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as reads,
  current_setting('statement_timeout') as within, current_setting('lock_timeout') as locks`;
const FIXED = {
  dates: 'ISO, YMD',
  commits: 'on',
  isolation: 'read committed',
  reads: 'off',
  within: '5s',
  locks: '0',
};

describe('a statement on the ledger’s database', () => {
  const odd = async () => {
    const url = await databaseWith('synchronous_commit = local');
    const name = new URL(url).pathname.slice(1);
    const administration = connectTo(await postgresUrl());
    for (const setting of [
      "datestyle = 'German'",
      'default_transaction_read_only = on',
      "lock_timeout = '7s'",
    ])
      await administration.query(`alter database ${name} set ${setting}`);
    return url;
  };

  test('runs with the ledger’s own settings on each connection', async () => {
    const database = connectTo(await odd());
    const shown = await Promise.all(Array.from({ length: 8 }, () => database.query(SHOWN)));
    expect(shown.flat()).toEqual(Array.from({ length: 8 }, () => FIXED));
    const inside = await database.transaction((statements) => statements.query(SHOWN));
    expect(inside).toEqual([{ ...FIXED, within: '0' }]);
  });

  test('runs with the ledger’s own settings through a pooler, and does not change the settings of the pooler’s other users', async () => {
    const url = await odd();
    const pooled = await transactionPooler(url);
    const database = connectTo(pooled);
    const shown = await Promise.all(Array.from({ length: 8 }, () => database.query(SHOWN)));
    expect(shown.flat()).toEqual(Array.from({ length: 8 }, () => FIXED));
    const inside = await database.transaction((statements) => statements.query(SHOWN));
    expect(inside).toEqual([{ ...FIXED, within: '0' }]);
    // This other program gets the same connections from the pooler.
    const other = new Client(pooled);
    await other.connect();
    for (let asked = 0; asked < 4; asked += 1)
      expect((await other.query('show datestyle')).rows).toEqual([{ DateStyle: 'German, DMY' }]);
    await other.end();
  });

  test('keeps a stricter setting of durability that the database has', async () => {
    const database = connectTo(await databaseWith('synchronous_commit = remote_apply'));
    expect(await database.query('show synchronous_commit')).toEqual([{ synchronous_commit: 'remote_apply' }]);
  });
});

describe('transactions on the ledger’s database that conflict', () => {
  test('all succeed, because the ledger repeats a transaction that PostgreSQL has rolled back', async () => {
    const { url, database } = await testLedger();
    await database.query('create table public.counters (name text primary key, count int not null)');
    await database.query("insert into public.counters values ('a', 0), ('b', 0)");
    const add = (first: string, second: string) =>
      connectTo(url).transaction(async (statements) => {
        await statements.query(`update public.counters set count = count + 1 where name = '${first}'`);
        await statements.query('select pg_sleep(0.05)');
        await statements.query(`update public.counters set count = count + 1 where name = '${second}'`);
      });
    // A deadlock: each transaction has locked the row for which the other waits.
    await Promise.all([add('a', 'b'), add('b', 'a')]);
    expect(await database.query('select name, count from public.counters order by name')).toEqual([
      { name: 'a', count: 2 },
      { name: 'b', count: 2 },
    ]);
  }, 60_000);

  test('fail with LEDGER_UNAVAILABLE if they keep conflicting', async () => {
    const { database } = await testLedger();
    let tries = 0;
    const failing = database.transaction((statements) => {
      tries += 1;
      return statements.query("do $$ begin raise exception 'again' using errcode = '40001'; end $$");
    });
    await expect(failing).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect(tries).toBe(5);
  });
});

describe('PostgreSQL’s error', () => {
  test.each([
    ['55P03', 'LEDGER_UNAVAILABLE', 1],
    ['57P01', 'LEDGER_UNAVAILABLE', 1],
    ['57P03', 'LEDGER_UNAVAILABLE', 1],
    ['53300', 'LEDGER_UNAVAILABLE', 1],
    ['53100', 'LEDGER_UNAVAILABLE', 1],
    ['25006', 'LEDGER_UNAVAILABLE', 1],
    ['57014', 'LEDGER_UNAVAILABLE', 1],
    ['40001', 'LEDGER_UNAVAILABLE', 5],
    ['40P01', 'LEDGER_UNAVAILABLE', 5],
    ['42501', 'LEDGER_REFUSED', 1],
    ['22P05', 'LEDGER_REFUSED', 1],
  ])('%s becomes the ledger’s error %s after %i tries', async (sqlState, code, tries) => {
    const { database } = await testLedger();
    await database.query('create sequence public.tries');
    const failing = database.query(
      `do $$ begin perform nextval('public.tries'); raise exception 'no' using errcode = '${sqlState}'; end $$`,
    );
    await expect(failing).rejects.toMatchObject({ code, cause: { code: sqlState } });
    const [made] = await database.query<{ last: string }>('select last_value as last from public.tries');
    expect(Number(made?.last)).toBe(tries);
  });
});

describe('a ledger’s database', () => {
  test.each(['LATIN1', 'SQL_ASCII', 'WIN1252', 'EUC_JP'])(
    'in the encoding %s is refused by a migration, the check at the start, and a claim',
    async (encoding) => {
      const url = await newDatabase(inEncoding(encoding));
      const unfit = {
        code: 'LEDGER_DATABASE_UNFIT',
        message: expect.stringContaining(`The ledger’s database is in ${encoding} and not in UTF-8.`),
      };
      const database = connectTo(url);
      await expect(migrate(database)).rejects.toMatchObject(unfit);
      await expect(openLedger(url).check()).rejects.toMatchObject(unfit);
      await expect(openLedger(url).claim(CLAIM)).rejects.toMatchObject(unfit);
      expect(await database.query("select 1 from pg_namespace where nspname = 'paysession_ledger'")).toEqual(
        [],
      );
    },
  );

  test('in UTF-8 with the locale C is accepted', async () => {
    const url = await newDatabase(inEncoding('UTF8'));
    await migrate(connectTo(url));
    expect(await live(openLedger(url))).toEqual(LIVED);
  });
});

test('the ledger refuses a database in which its triggers are switched off', async () => {
  const url = await databaseWith('session_replication_role = replica');
  await expect(migrate(connectTo(url))).rejects.toMatchObject({
    code: 'LEDGER_DATABASE_UNFIT',
    message: expect.stringContaining('session_replication_role = replica'),
  });
});
