import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { newSigningKey, PaymentLedger, readSigningKey } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { measuredCommand } from '../../sides/measured-command';
import { migrated } from '../../sides/migrated-ledger';
import { generateEntries } from './generated-entries';
import type { CheckpointSigner } from '../../../ledger/log/signed-note';

export interface VerifyWorkload {
  readonly sessions: number;
}

/** The time and memory that the verification of a ledger takes. */
export interface VerifyFigures {
  readonly entries: number;
  readonly verifySeconds: number;
  /** The peak memory of the command, in MiB. */
  readonly verifyMiB: number;
}

/**
 * Runs `paysession ledger verify` on a ledger. Each session in the ledger has five entries. One checkpoint covers all
 * entries.
 */
export async function verifiedEntries({
  sessions,
}: VerifyWorkload): Promise<{ readonly paysession: VerifyFigures }> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-bench-verify-'));
  const checkpoints = await mkdtemp(join(tmpdir(), 'paysession-bench-checkpoints-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  try {
    const entries = await migrated(postgres.url, (database) => generateEntries(database, sessions));
    const signer = readSigningKey(newSigningKey('bench.example/ledger'));
    if (signer === undefined) throw new Error('a new key cannot be read');
    const since = join(checkpoints, 'checkpoint');
    await writeFile(since, await checkpoint(postgres.url, signer));
    const verify = ['ledger', 'verify', '--since', since, '--key', signer.verifierKey];
    const { seconds, mib } = await measuredCommand(verify, { ledgerUrl: postgres.url });
    return { paysession: { entries, verifySeconds: seconds, verifyMiB: mib } };
  } finally {
    await postgres.stop();
    await Promise.all([folder, checkpoints].map((made) => rm(made, { recursive: true })));
  }
}

async function checkpoint(url: string, signer: CheckpointSigner): Promise<string> {
  const ledger = new PaymentLedger({ url });
  try {
    return (await ledger.checkpoint(signer)).note;
  } finally {
    await ledger.close();
  }
}
