import type { Command } from 'commander';
import { decidedByOf, type DecidedByOptions, machineUser } from '../../shared/decisions';
import { printJson, type JsonOption } from '../../shared/output';
import { printState } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';

export function registerRefresh(program: Command): void {
  program
    .command('refresh')
    .description('poll the payment service at once and show the state')
    .argument('<key>', 'the session’s key')
    .option('--by <name>', 'name of the person who asks; kept in the session’s record')
    .option('--reason <text>', 'the reason; kept with your user name')
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

/** A refresh records no decision unless the caller gives a name or a reason: scripts refresh often. */
function signed({ by, reason }: DecidedByOptions): DecidedByOptions {
  const name = by ?? (reason === undefined ? undefined : machineUser());
  return decidedByOf({ ...(name !== undefined && { by: name }), ...(reason !== undefined && { reason }) });
}
