import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLedgerServer } from './ledger-server';
import { borrowLedger } from './lent-ledger';

/** Where a world's ledger is: on a server of its own, or on one that the test runner lends to all worlds. */
export interface WorldLedger {
  readonly url: string;
  /** Nobody else's. */
  readonly environment: string;
  stop(): Promise<void>;
}

/** Throws `MissingPackagesError`, and `PaysessionError` `LEDGER_UNAVAILABLE`. */
export async function startWorldLedger(): Promise<WorldLedger> {
  const environment = `world-${randomUUID()}`;
  const lent = await borrowLedger();
  if (lent !== undefined) return { url: lent, environment, stop: () => Promise.resolve() };
  return { ...(await startTemporaryLedger()), environment };
}

/** A ledger's server whose data are removed with it. */
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
