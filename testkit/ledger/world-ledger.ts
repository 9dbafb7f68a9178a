import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentLedger, type PaymentLedgerOptions } from '../../ledger';
import { startLedgerServer } from './ledger-server';
import { borrowLedger } from './lent-ledger';

/** A world's ledger, on a server of its own, or on one that the test runner lends to all worlds. */
export interface WorldLedger {
  /** Nobody else sees what is in it. The caller closes it. */
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
