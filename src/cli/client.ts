import { Client } from '@temporalio/client';
import { PaymentSessions } from '../sessions';
import { connectTemporal, readTemporalSettings } from '../settings';

/** Runs a command against the engine that the settings name, and closes the connection afterwards. */
export async function withSessions<T>(
  command: (sessions: PaymentSessions, client: Client) => Promise<T>,
): Promise<T> {
  const settings = readTemporalSettings(process.env);
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const client = new Client({ connection, namespace });
    return await command(new PaymentSessions(client, { taskQueue: settings.taskQueue }), client);
  } finally {
    await connection.close();
  }
}
