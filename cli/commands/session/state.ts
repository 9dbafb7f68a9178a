import type { Command } from 'commander';
import { withSessions } from '../../shared/run/client';
import { printJson, type JsonOption } from '../../shared/screen/output';
import { printState } from '../../shared/session/print-state';

export function registerState(program: Command): void {
  program
    .command('state')
    .description('show what a session is doing')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession state order-1042 --json')
    .action(async (key: string, { json }: JsonOption) => {
      const state = await withSessions((sessions) => sessions.get(key).state());
      if (json) printJson(state);
      else printState(state);
    });
}
