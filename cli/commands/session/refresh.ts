import type { Command } from 'commander';
import type { DecidedBy } from '../../../src/protocol/decisions';
import { machineUser } from '../../shared/decisions';
import { printJson, type JsonOption } from '../../shared/output';
import { printState } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';

export function registerRefresh(program: Command): void {
  program
    .command('refresh')
    .description('poll the payment service without waiting for the next poll, and show the state')
    .argument('<key>', 'the session’s key')
    .option('--by <name>', 'name of the person who asks; kept in the session’s record')
    .option('--reason <text>', 'the reason; without --by, it is recorded with your user name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession refresh order-1042')
    .action(async (key: string, { json, ...decidedBy }: JsonOption & DecidedBy) => {
      const state = await withSessions((sessions) =>
        waitingFor(`${key}: asking the payment service`, () =>
          sessions.get(key).refresh(withUserName(decidedBy)),
        ),
      );
      if (json) printJson(state);
      else printState(state);
    });
}

/**
 * Adds this machine's user name if there is a reason and no name. If there is no reason and no name, adds nothing. Then no decision is recorded, because
 * scripts may refresh often.
 */
function withUserName(decidedBy: DecidedBy): DecidedBy {
  const by = decidedBy.reason === undefined ? undefined : machineUser();
  return { ...(by !== undefined && { by }), ...decidedBy };
}
