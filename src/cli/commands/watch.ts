import type { Command } from 'commander';
import { withSessions } from '../client';
import { formatState, printJsonLine, printLine } from '../output';
import { watchStates } from '../watch';

export function registerWatch(program: Command): void {
  program
    .command('watch')
    .description('show each state of a session as it happens, until it ends')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', '\nExample:\n  $ paysession watch order-1042')
    .action(async (key: string, { json }: { readonly json?: true }) => {
      await withSessions(async (sessions) => {
        for await (const entry of watchStates(sessions.get(key))) {
          if (json) printJsonLine(entry);
          else printLine(`${entry.firstSeenAt}  ${formatState(entry)}  (${entry.source})`);
        }
      });
    });
}
