import type { Command } from 'commander';
import { withSessions } from '../../shared/client';
import { printJson, type JsonOption } from '../../shared/output';
import { printState } from '../../shared/print-state';
import { waitingFor } from '../../shared/status-line';

export function registerRefresh(program: Command): void {
  program
    .command('refresh')
    .description('poll the payment service at once and show the state')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession refresh order-1042')
    .action(async (key: string, { json }: JsonOption) => {
      const state = await withSessions((sessions) =>
        waitingFor(`${key}: asking the payment service`, () => sessions.get(key).refresh()),
      );
      if (json) printJson(state);
      else printState(state);
    });
}
