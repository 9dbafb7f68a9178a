import { randomUUID } from 'node:crypto';
import { afterAll, afterEach } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { PostgresSource } from '../../../src/temporal-server/postgres-programs';
import { startPostgres, type RunningPostgres } from '../../../src/temporal-server/start-postgres';
import { LedgerDatabase, migrate, PaymentLedger, type PaymentLedgerOptions } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { globalValue, LEDGER_TEMPLATE } from '../setup/global-values';

/** This test file’s own PostgreSQL server, if it has one. */
let own: Promise<{ readonly running: RunningPostgres; readonly folder: string }> | undefined;
let start: (() => NonNullable<typeof own>) | undefined;
const closing: (() => Promise<void>)[] = [];

/**
 * Lets the tests of this file use their own PostgreSQL server.
 *
 * @param source the source of the server. @default npm's PostgreSQL
 */
export function useOwnPostgres(source: Partial<PostgresSource> = {}): void {
  start = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
    return { folder, running: await startPostgres({ folder, cacheFolder: readCacheFolder(), ...source }) };
  };
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  const started = await own;
  await started?.running.stop();
  if (started !== undefined) await rm(started.folder, { recursive: true });
});

/** Calls `close` when the test ends. */
export function closesLater(close: () => Promise<void>): void {
  closing.push(close);
}

/** Returns the URL of the server's own database. Test files share a server, unless they call `useOwnPostgres`. */
export async function postgresUrl(): Promise<string> {
  if (start === undefined) return globalValue('PAYSESSION_TEST_POSTGRES');
  own ??= start();
  return (await own).running.url;
}

/** Returns the URL of a new database, which is dropped when the test ends. It is empty, unless `options` (of `create database`) name a template. */
export async function newDatabase(options = ''): Promise<string> {
  const name = `ledger_${randomUUID().replaceAll('-', '')}`;
  const administer = async (statement: string) => {
    // This uses a plain client, without a time limit for statements: on a busy disk, creating or dropping a database can take long.
    const administration = new Client(await postgresUrl());
    await administration.connect();
    try {
      await administration.query(statement);
    } finally {
      await administration.end();
    }
  };
  await administer(`create database ${name} ${options}`);
  closesLater(() => administer(`drop database ${name} with (force)`));
  // The connect timeout is longer than a worker’s default, for a busy machine.
  return (await postgresUrl()).replace(/[^/]*$/, `${name}?connect_timeout=60`);
}

/** Opens connections to a database. They close when the test ends. */
export function connectTo(url: string): LedgerDatabase {
  const database = new LedgerDatabase(url);
  closesLater(() => database.close());
  return database;
}

export interface TestLedger {
  readonly url: string;
  readonly ledger: PaymentLedger;
  readonly database: LedgerDatabase;
}

/** Returns a ledger in a new, migrated database. It closes when the test ends. */
export async function testLedger(options: Omit<PaymentLedgerOptions, 'url'> = {}): Promise<TestLedger> {
  const isShared = start === undefined;
  const url = await newDatabase(isShared ? `template ${LEDGER_TEMPLATE}` : '');
  const database = connectTo(url);
  if (!isShared) await migrate(database);
  return { url, database, ledger: openLedger(url, options) };
}

/** Opens a second client of a ledger, as another process would. It closes when the test ends. */
export function openLedger(url: string, options: Omit<PaymentLedgerOptions, 'url'> = {}): PaymentLedger {
  const ledger = new PaymentLedger({ url, ...options });
  closesLater(() => ledger.close());
  return ledger;
}

/** Resolves once a statement in the database waits for a lock of another statement. */
export async function untilOneWaits(database: LedgerDatabase): Promise<void> {
  const waiting = () =>
    database.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  while ((await waiting()).length === 0);
}

/** Returns the options of `create database` for this encoding. */
export const inEncoding = (encoding: string): string =>
  `encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`;
