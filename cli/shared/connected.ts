import { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import { encryptedDataConverter } from '../../src/encryption';
import { SessionNotFoundError } from '../../src/errors';
import { PaymentSessions, unservedQueue, type ReadableLedger, type UnservedQueue } from '../../src/sessions';
import { connectTemporal, readOptionalLedger, readTemporalSettings } from '../../src/settings';
import { withLedgerOf } from './ledger';
import { printWarning } from './output';

/** The objects that a command receives in addition to `PaymentSessions`. */
export interface CommandContext {
  readonly client: Client;
  /** True if the settings have encryption keys, so that new sessions are encrypted. */
  readonly encrypts: boolean;
  /** The ledger in the settings, if there is one. */
  readonly ledger: PaymentLedger | undefined;
  /** Returns the task queue if no worker polls it. Returns `undefined` if a worker polls it, or if that is unknown. */
  readonly unservedQueue: () => Promise<UnservedQueue | undefined>;
}

/** A command that works with sessions. */
export type SessionsCommand<T> = (sessions: PaymentSessions, context: CommandContext) => Promise<T>;

/** Connects to the Temporal server in the settings, runs a command, and closes the connection. */
export async function runConnected<T>(command: SessionsCommand<T>): Promise<T> {
  const ledgerSettings = readOptionalLedger();
  return ledgerSettings === undefined
    ? runWith(undefined, command)
    : withLedgerOf(ledgerSettings, (ledger) => runWith(ledger, command));
}

async function runWith<T>(ledger: PaymentLedger | undefined, command: SessionsCommand<T>): Promise<T> {
  const settings = readTemporalSettings(process.env);
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const { encryption, encryptionRequired, taskQueue } = settings;
    const dataConverter = encryption && encryptedDataConverter(encryption, { required: encryptionRequired });
    const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
    const sessions = new PaymentSessions(client, { taskQueue, ledger: ledger && withWarning(ledger) });
    return await command(sessions, {
      client,
      encrypts: encryption !== undefined,
      ledger,
      unservedQueue: () => unservedQueue(client, taskQueue).catch(() => undefined),
    });
  } catch (error) {
    if (!(error instanceof SessionNotFoundError)) throw error;
    const asked = `The command asked the Temporal server at ${settings.connection.address}, namespace "${namespace}".`;
    throw new SessionNotFoundError(error.key, `${error.message} ${asked}`);
  } finally {
    await connection.close();
  }
}

/**
 * Wraps the ledger for `PaymentSessions`, which reads it if the Temporal server does not know a session. The first entries that it
 * returns print a warning.
 */
function withWarning(ledger: ReadableLedger): ReadableLedger {
  let hasWarned = false;
  return {
    entriesOf: async (key) => {
      const entries = await ledger.entriesOf(key);
      if (entries.length > 0 && !hasWarned)
        printWarning('the Temporal server has dropped this session: this is the ledger’s record.');
      hasWarned ||= entries.length > 0;
      return entries;
    },
  };
}
