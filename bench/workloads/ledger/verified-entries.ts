import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../engine/postgres/start-postgres';
import { newSigningKey, PaymentLedger, readSigningKey, type CheckpointSigner } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { peakKib } from '../../figures/process-stat';
import { PROJECT } from '../../report/project';
import { migrated } from '../../sides/migrated-ledger';
import { generateEntries } from './generated-entries';

export interface VerifyWorkload {
  readonly sessions: number;
}

/** What it costs to verify a ledger. */
export interface VerifyFigures {
  readonly entries: number;
  readonly verifySeconds: number;
  /** The most memory that the command ever had, in MiB. */
  readonly verifyMiB: number;
}

const LOOK_EVERY_MS = 100;

/** Runs `paysession ledger verify` on a ledger of sessions with five entries each, all under one checkpoint. */
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
    const figures = await verify(postgres.url, ['--since', since, '--key', signer.verifierKey]);
    return { paysession: { entries, ...figures } };
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

async function verify(url: string, args: readonly string[]): Promise<Omit<VerifyFigures, 'entries'>> {
  const beganAtMs = performance.now();
  const command = [join(PROJECT, 'dist', 'cli', 'main.js'), 'ledger', 'verify', ...args];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, PAYSESSION_LEDGER_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let kib = 0;
  const looking = setInterval(() => {
    kib = Math.max(kib, peakOf(child.pid));
  }, LOOK_EVERY_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(looking);
  if (code !== 0) throw new Error(`ledger verify ended with ${String(code)}`);
  return { verifySeconds: (performance.now() - beganAtMs) / 1_000, verifyMiB: kib / 1_024 };
}

/** Nothing of a process that has just ended. */
function peakOf(pid: number | undefined): number {
  try {
    return peakKib(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return 0;
  }
}
