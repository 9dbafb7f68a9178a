import type { Command } from 'commander';
import { withSessions } from '../../shared/run/client';
import { decidedByOf, type DecidedByOptions } from '../../shared/session/decisions';
import { machineUser } from '../../shared/session/machine-user';
import { printJson, type JsonOption } from '../../shared/screen/output';
import { printState } from '../../shared/session/print-state';
import { waitingFor } from '../../shared/screen/status-line';

export function registerRefresh(program: Command): void {
  program
    .command('refresh')
    .description('poll the payment service at once and show the state')
    .argument('<key>', 'the session’s key')
    .option('--by <name>', 'who asks; kept in the session’s record')
    .option('--reason <text>', 'why; kept with your user name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession refresh order-1042')
    .action(async (key: string, { json, ...options }: JsonOption & DecidedByOptions) => {
      const decidedBy = signed(options);
      const state = await withSessions((sessions) =>
        waitingFor(`${key}: asking the payment service`, () => sessions.get(key).refresh(decidedBy)),
      );
      if (json) printJson(state);
      else printState(state);
    });
}

/** A refresh leaves no decision unless somebody gives a name or a reason: scripts ask again and again. */
function signed({ by, reason }: DecidedByOptions): DecidedByOptions {
  const name = by ?? (reason === undefined ? undefined : machineUser());
  return decidedByOf({ ...(name !== undefined && { by: name }), ...(reason !== undefined && { reason }) });
}
