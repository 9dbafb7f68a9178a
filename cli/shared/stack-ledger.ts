import { PaymentLedger } from '../../ledger';
import type { EncryptionKeys } from '../../src/encryption';
import { readLedgerOf, type Environment } from '../../src/settings';
import { needLedgerPackages, startLedgerServer } from '../../testkit/ledger-server';
import { warnOfOpenLedger } from './run/settings-warnings';
import { printProgress } from './screen/output';
import { MissingPackagesError } from '../../src/files';
import { closedFolderAround } from '../../engine/postgres-programs';

/** The ledger of a stack: the one that is set, or else one of its own. */
export interface StackLedgerOptions {
  /** May set a ledger. */
  readonly env: Environment;
  /** Keeps the data of an own one; made if it is missing. */
  readonly folder: string;
  /** The port of an own one. @default a free one */
  readonly port?: number;
}

/** The ledger that a stack uses. */
export interface StackLedger {
  /** `undefined` where there is none. */
  readonly ledger: PaymentLedger | undefined;
  /** Where an own one is, with its password. */
  readonly ownUrl?: string;
  /** Why there is none, and how to get one: in one line. */
  readonly missing?: string;
  /** Ends the connections, and the server of an own one. */
  stop(): Promise<void>;
}

/** That of a stack's Temporal server. */
const NAMESPACE = 'default';

/**
 * Opens the ledger that is set, as it is. Where none is set, starts one on this machine and makes its tables; where that takes what is not
 * installed, there is none. Throws `SettingsError`, and `PaysessionError` `LEDGER_UNAVAILABLE` or `PORT_IN_USE` for an own one.
 */
export async function startStackLedger(
  options: StackLedgerOptions,
  encryption: EncryptionKeys | undefined,
): Promise<StackLedger> {
  const open = (env: Environment): PaymentLedger | undefined => {
    const settings = readLedgerOf({ namespace: NAMESPACE, ...(encryption && { encryption }) }, env);
    if (settings === undefined) return undefined;
    warnOfOpenLedger(settings);
    return new PaymentLedger(settings);
  };
  const set = open(options.env);
  if (set !== undefined) return { ledger: set, stop: () => set.close() };
  const server = await startOwnServer(options);
  if (typeof server === 'string')
    return { ledger: undefined, missing: server, stop: () => Promise.resolve() };
  // As the command line opens it, to which this URL is given.
  const own = open({ ...options.env, PAYSESSION_LEDGER_URL: server.url });
  return {
    ledger: own,
    ownUrl: server.url,
    stop: async () => {
      await own?.close();
      await server.stop();
    },
  };
}

/** Gives what is missing where it cannot be started. */
async function startOwnServer({ folder, port }: StackLedgerOptions) {
  try {
    needLedgerPackages();
    const closed = await closedFolderAround(folder);
    if (closed !== undefined) return keptOutOf(closed);
    const own = { folder, ...(port !== undefined && { port }) };
    return await startLedgerServer({ ...own, onProgress: printProgress });
  } catch (error) {
    if (error instanceof MissingPackagesError) return error.message;
    throw error;
  }
}

const keptOutOf = (folder: string): string =>
  `as root, PostgreSQL runs as the user nobody, who may not pass through ${folder}: let others pass (chmod o+x), or choose another folder.`;
