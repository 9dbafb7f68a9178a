import { serveConsole, type ServedConsole } from '../../../console/serve-console';
import { DEFAULT_TASK_QUEUE } from '../../../src/protocol/names';
import { machineUser } from '../../shared/session/machine-user';
import { openOptionalLedger } from '../../shared/run/optional-ledger';
import type { Stack } from '../../shared/stack';

/** Serves the console on this machine, with the ledger of the settings, if there is one. Throws `PORT_IN_USE`. */
export async function serveDevConsole(
  { client, sessions, uiUrl }: Stack,
  port: number,
  log: (line: string) => void,
): Promise<ServedConsole> {
  const ledger = await openOptionalLedger();
  try {
    const served = await serveConsole({
      client,
      sessions,
      ledger,
      taskQueue: DEFAULT_TASK_QUEUE,
      access: { kind: 'local', operator: { name: machineUser() ?? 'unknown', role: 'operator' } },
      ...(uiUrl !== undefined && { uiUrl }),
      log,
      host: '127.0.0.1',
      port,
      portFlag: '--console-port',
    });
    const close = async () => {
      await served.close();
      await ledger?.close();
    };
    return { ...served, close };
  } catch (error) {
    await ledger?.close();
    throw error;
  }
}
