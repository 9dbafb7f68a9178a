import { Client } from '@temporalio/client';
import { encryptedDataConverter } from '../encryption';
import { PaymentSessions } from '../sessions';
import { connectTemporal, readTemporalSettings } from '../settings';

/** Runs a command against the engine that the settings name, and closes the connection afterwards. */
export async function withSessions<T>(
  command: (sessions: PaymentSessions, client: Client) => Promise<T>,
): Promise<T> {
  const settings = readTemporalSettings(process.env);
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const { encryption } = settings;
    const dataConverter = encryption && encryptedDataConverter(encryption);
    const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
    return await command(new PaymentSessions(client, { taskQueue: settings.taskQueue }), client);
  } finally {
    await connection.close();
  }
}
