import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { LedgerDatabase, migrate } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { runCommand } from '../../../src/temporal-server/run-command';
import { CUTS, Line } from './line';

/** A ledger whose server can be killed and whose connections can be cut. Committed data survives both. */
export interface LedgerHost {
  /** The workers' URL, over the line that is cut. */
  readonly url: string;
  /** The URL for the campaign. */
  readonly ownUrl: string;
  /** The folder of its database. */
  readonly folder: string;
  /** Ends the server like a crash of the machine. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again, at the same port. */
  start(): Promise<void>;
  /** Stops it cleanly, keeps a copy of its data instead of an earlier one, and starts it again. */
  copy(): Promise<void>;
  /** Ends the server like a crash of the machine, and starts it with the copy: everything recorded since is lost. */
  restore(): Promise<void>;
  /** Cuts the connection of the next commit. Returns the place of the cut, even if no commit came in time. */
  cutNextCommit(): Promise<string>;
  stop(): Promise<void>;
}

/** The longest wait of a cut for a commit, in milliseconds. */
const CUT_WITHIN_MS = 5_000;
const COPIED_WITHIN_MS = 60_000;
/** The processes of a killed server end by themselves. Until then, no other server starts. */
const STARTS = 40;
const STARTS_AGAIN_AFTER_MS = 250;

/**
 * Starts npm's PostgreSQL with the ledger's tables. It records when each transaction was committed, by the machine's
 * clock.
 */
export async function hostLedger(): Promise<LedgerHost> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-faults-ledger-'));
  const options = { folder, cacheFolder: readCacheFolder() };
  let server = await startPostgres(options);
  const ownUrl = server.url;
  const port = Number(new URL(ownUrl).port);
  const start = async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        server = await startPostgres({ ...options, port });
        return;
      } catch (error) {
        if (tries === STARTS) throw error;
        await sleep(STARTS_AGAIN_AFTER_MS);
      }
    }
  };
  await prepare(ownUrl);
  await server.stop();
  await start();
  const line = new Line(port);
  const url = await line.over(ownUrl);
  let cuts = 0;
  const [data, copied, lost] = ['data', 'copied', 'lost'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const kill = async () => {
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
  };
  return {
    url,
    ownUrl,
    folder: data,
    start,
    kill,
    copy: async () => {
      await server.stop();
      await rm(copied, { recursive: true, force: true });
      await copyFolder(data, copied);
      await start();
    },
    restore: async () => {
      await kill();
      // Processes of the killed server may still write to the data's old place.
      await rename(data, lost);
      await copyFolder(copied, data);
      await start();
      await rm(lost, { recursive: true, force: true });
    },
    cutNextCommit: async () => {
      const cut = CUTS[cuts % CUTS.length] ?? CUTS[0];
      cuts += 1;
      const late = new AbortController();
      const patience = sleep(CUT_WITHIN_MS, undefined, { signal: late.signal }).then(
        () => {
          line.spare();
        },
        () => undefined,
      );
      await line.cutNext(cut);
      late.abort();
      await patience;
      return cut;
    },
    stop: async () => {
      await line.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server's user remains the owner. */
const copyFolder = async (from: string, to: string): Promise<void> => {
  await runCommand({
    file: 'cp',
    args: ['-a', from, to],
    env: process.env,
    cwd: '/',
    timeoutMs: COPIED_WITHIN_MS,
  });
};

/** Takes effect with the next start. */
async function prepare(url: string): Promise<void> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
    await database.query('alter system set track_commit_timestamp = on');
  } finally {
    await database.close();
  }
}
