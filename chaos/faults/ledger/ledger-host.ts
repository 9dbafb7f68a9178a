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
  /** The URL for the workers. Its connections can be cut. */
  readonly url: string;
  /** The URL for the campaign. Its connections are not cut. */
  readonly ownUrl: string;
  /** The folder of the ledger's database. */
  readonly folder: string;
  /** Ends the server as a crash of the machine would. Resolves when the server's process has ended. */
  kill(): Promise<void>;
  /** Starts the server again, at the same port. */
  start(): Promise<void>;
  /** Stops the server cleanly, copies its data, and starts the server again. The copy replaces an earlier copy. */
  copy(): Promise<void>;
  /** Ends the server as a crash of the machine would, and starts it with the copy. Everything that was recorded after the copy is lost. */
  restore(): Promise<void>;
  /** Cuts the connection of the next commit. Returns the planned place of the cut, even if no commit came in time. */
  cutNextCommit(): Promise<string>;
  stop(): Promise<void>;
}

/** The longest time, in milliseconds, that a planned cut waits for a commit. */
const CUT_WITHIN_MS = 5_000;
const COPIED_WITHIN_MS = 60_000;
/** A new server cannot start until all processes of the killed server have ended by themselves. So the start is repeated. */
const START_ATTEMPTS = 40;
const STARTS_AGAIN_AFTER_MS = 250;

/**
 * Starts npm's PostgreSQL with the ledger's tables. PostgreSQL records the time of each commit, by the machine's clock.
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
        if (tries === START_ATTEMPTS) throw error;
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
      // Processes of the killed server may still write to the old files. So the old files are moved away.
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

/** Copies a folder. PostgreSQL's user remains the owner of the files. */
const copyFolder = async (from: string, to: string): Promise<void> => {
  await runCommand({
    file: 'cp',
    args: ['-a', from, to],
    env: process.env,
    cwd: '/',
    timeoutMs: COPIED_WITHIN_MS,
  });
};

/** Creates the ledger's tables, and lets PostgreSQL record commit times from its next start on. */
async function prepare(url: string): Promise<void> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
    await database.query('alter system set track_commit_timestamp = on');
  } finally {
    await database.close();
  }
}
