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
import { globalValue } from '../setup/global-values';

/** The server that belongs to the tests of this file. */
let own: Promise<{ readonly running: RunningPostgres; readonly folder: string }> | undefined;
let start: (() => NonNullable<typeof own>) | undefined;
const closing: (() => Promise<void>)[] = [];

/**
 * Starts a PostgreSQL server that only the tests of this file use.
 *
 * @param source default: npm's
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

/** Closes something when the test ends. */
export function closesLater(close: () => Promise<void>): void {
  closing.push(close);
}

/** Returns the URL of the server's own database. All tests share the server, unless the file has one of its own. */
export async function postgresUrl(): Promise<string> {
  if (start === undefined) return globalValue('PAYSESSION_TEST_POSTGRES');
  own ??= start();
  return (await own).running.url;
}

/** Returns the URL of an empty database, which is dropped when the test ends. @param options as of `create database` */
export async function emptyDatabase(options = ''): Promise<string> {
  const name = `ledger_${randomUUID().replaceAll('-', '')}`;
  const administer = async (statement: string) => {
    // Creating and dropping a database needs a checkpoint, which may take a busy disk longer than our statements may
    // take.
    const administration = new Client(await postgresUrl());
    await administration.connect();
    await administration.query(statement).finally(() => administration.end());
  };
  await administer(`create database ${name} ${options}`);
  closesLater(() => administer(`drop database ${name} with (force)`));
  // A busy machine may take longer than a worker waits for a connection.
  return (await postgresUrl()).replace(/[^/]*$/, `${name}?connect_timeout=60`);
}

/** Opens connections to a database. They close with the test. */
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

/** Returns a migrated ledger. It closes with the test. */
export async function testLedger(options: Omit<PaymentLedgerOptions, 'url'> = {}): Promise<TestLedger> {
  const url = await emptyDatabase();
  const database = connectTo(url);
  await migrate(database);
  return { url, database, ledger: openLedger(url, options) };
}

/** Returns another process's connection to a ledger. */
export function openLedger(url: string, options: Omit<PaymentLedgerOptions, 'url'> = {}): PaymentLedger {
  const ledger = new PaymentLedger({ url, ...options });
  closesLater(() => ledger.close());
  return ledger;
}

/** Resolves once a statement waits for a lock of another. */
export async function untilOneWaits(database: LedgerDatabase): Promise<void> {
  const waiting = () =>
    database.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  while ((await waiting()).length === 0);
}

/** Options of a database in another encoding than the server's own. */
export const inEncoding = (encoding: string): string =>
  `encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`;
