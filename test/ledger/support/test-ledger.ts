import { afterAll, afterEach } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresSource } from '../../../engine/postgres/postgres-programs';
import { startPostgres, type RunningPostgres } from '../../../engine/postgres/start-postgres';
import { LedgerDatabase, migrate, PaymentLedger, type PaymentLedgerOptions } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';

/** One server for the tests of a file, and a database of its own for each that asks. */
let server: Promise<{ readonly running: RunningPostgres; readonly folder: string }> | undefined;
let source: Partial<PostgresSource> = {};
const closing: (() => Promise<void>)[] = [];

/** Has the tests of this file run on another PostgreSQL; before the first of them. */
export function runOn(npmPackage: string): void {
  source = { npmPackage };
}

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  return { folder, running: await startPostgres({ folder, cacheFolder: readCacheFolder(), ...source }) };
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  const started = await server;
  await started?.running.stop();
  if (started !== undefined) await rm(started.folder, { recursive: true });
});

/** Closes something when the test ends. */
export function closesLater(close: () => Promise<void>): void {
  closing.push(close);
}

/** The server itself. */
export async function postgres(): Promise<RunningPostgres> {
  server ??= start();
  return (await server).running;
}

/** The URL of an empty database. */
export async function emptyDatabase(): Promise<string> {
  const { url } = await postgres();
  const name = `ledger_${Math.random().toString(36).slice(2)}`;
  const administration = new LedgerDatabase(url);
  try {
    await administration.query(`create database ${name}`);
  } finally {
    await administration.close();
  }
  return url.replace(/[^/]*$/, name);
}

/** Connections to a database, until the test ends. */
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

/** A migrated ledger, until the test ends. */
export async function testLedger(options: Omit<PaymentLedgerOptions, 'url'> = {}): Promise<TestLedger> {
  const url = await emptyDatabase();
  const database = connectTo(url);
  await migrate(database);
  return { url, database, ledger: openLedger(url, options) };
}

/** One more process's way to a ledger. */
export function openLedger(url: string, options: Omit<PaymentLedgerOptions, 'url'> = {}): PaymentLedger {
  const ledger = new PaymentLedger({ url, ...options });
  closesLater(() => ledger.close());
  return ledger;
}
