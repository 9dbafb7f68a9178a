import { Client } from '@temporalio/client';
import { encryptedDataConverter } from '../../../src/encryption';
import { PaymentSessions, unservedQueue, type UnservedQueue } from '../../../src/sessions';
import { connectTemporal, readTemporalSettings } from '../../../src/settings';

/** What a command runs with besides the sessions. */
export interface CommandContext {
  readonly client: Client;
  /** Whether the settings give keys, so that what is started is encrypted. */
  readonly encrypts: boolean;
  /** The task queue, if no worker gets its sessions; nothing where one may, or nobody can tell. */
  readonly unservedQueue: () => Promise<UnservedQueue | undefined>;
}

/** What a command does with sessions. */
export type SessionsCommand<T> = (sessions: PaymentSessions, context: CommandContext) => Promise<T>;

/** Connects to the engine that the settings name, runs a command, and closes the connection afterwards. */
export async function runConnected<T>(command: SessionsCommand<T>): Promise<T> {
  const settings = readTemporalSettings(process.env);
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const { encryption, encryptionRequired, taskQueue } = settings;
    const dataConverter = encryption && encryptedDataConverter(encryption, { required: encryptionRequired });
    const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
    const sessions = new PaymentSessions(client, { taskQueue });
    return await command(sessions, {
      client,
      encrypts: encryption !== undefined,
      unservedQueue: () => unservedQueue(client, taskQueue).catch(() => undefined),
    });
  } finally {
    await connection.close();
  }
}
