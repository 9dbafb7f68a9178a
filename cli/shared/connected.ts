import { Client } from '@temporalio/client';
import type { PaymentLedger } from '../../ledger';
import { encryptedDataConverter } from '../../src/encryption';
import { PaymentSessions, unservedQueue, type ReadableLedger, type UnservedQueue } from '../../src/sessions';
import { connectTemporal, readOptionalLedger, readTemporalSettings } from '../../src/settings';
import { withLedgerOf } from './ledger';
import { printWarning } from './output';

/** What a command runs with besides the sessions. */
export interface CommandContext {
  readonly client: Client;
  /** Whether the settings give keys, so that what is started is encrypted. */
  readonly encrypts: boolean;
  /** The ledger of the settings, if there is one. */
  readonly ledger: PaymentLedger | undefined;
  /** The task queue, if no worker gets its sessions; nothing where one may, or nobody can tell. */
  readonly unservedQueue: () => Promise<UnservedQueue | undefined>;
}

/** What a command does with sessions. */
export type SessionsCommand<T> = (sessions: PaymentSessions, context: CommandContext) => Promise<T>;

/** Connects to the engine that the settings name, runs a command, and closes the connection afterwards. */
export async function runConnected<T>(command: SessionsCommand<T>): Promise<T> {
  const set = readOptionalLedger();
  return set === undefined
    ? runWith(undefined, command)
    : withLedgerOf(set, (ledger) => runWith(ledger, command));
}

async function runWith<T>(ledger: PaymentLedger | undefined, command: SessionsCommand<T>): Promise<T> {
  const settings = readTemporalSettings(process.env);
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const { encryption, encryptionRequired, taskQueue } = settings;
    const dataConverter = encryption && encryptedDataConverter(encryption, { required: encryptionRequired });
    const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
    const sessions = new PaymentSessions(client, { taskQueue, ledger: ledger && telling(ledger) });
    return await command(sessions, {
      client,
      encrypts: encryption !== undefined,
      ledger,
      unservedQueue: () => unservedQueue(client, taskQueue).catch(() => undefined),
    });
  } finally {
    await connection.close();
  }
}

/** Says once, on standard error, that what a command shows comes from the ledger. */
function telling(ledger: ReadableLedger): ReadableLedger {
  let isTold = false;
  return {
    entriesOf: async (key) => {
      const entries = await ledger.entriesOf(key);
      if (entries.length > 0 && !isTold)
        printWarning('the Temporal server has dropped this session: this is the ledger’s record.');
      isTold ||= entries.length > 0;
      return entries;
    },
  };
}
