import { serveConsole, type ServedConsole } from '../../../console/serve-console';
import { readPageSettings } from '../../../src/settings';
import { DEFAULT_TASK_QUEUE } from '../../../src/protocol/names';
import { machineUser } from '../../shared/session/machine-user';
import type { Stack } from '../../shared/stack';

/** Serves the console on this machine. Throws `PORT_IN_USE`. */
export function serveDevConsole(
  { client, sessions, uiUrl, ledger }: Stack,
  port: number,
  log: (line: string) => void,
): Promise<ServedConsole> {
  return serveConsole({
    client,
    sessions,
    ledger: ledger?.ledger,
    taskQueue: DEFAULT_TASK_QUEUE,
    access: { kind: 'local', operator: { name: machineUser() ?? 'unknown', role: 'operator' } },
    ...readPageSettings(process.env),
    ...(uiUrl !== undefined && { uiUrl }),
    log,
    host: '127.0.0.1',
    port,
    portFlag: '--console-port',
  });
}
