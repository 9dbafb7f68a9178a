import type { Command } from 'commander';
import { withSessions } from '../../shared/client';
import { printJson, printLine, type JsonOption } from '../../shared/output';
import { stateCell } from '../../shared/styled-state';
import { formatTable } from '../../shared/table';
import { fullTime } from '../../shared/time';

export function registerHistory(program: Command): void {
  program
    .command('history')
    .description('show every state that a session has been in')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession history order-1042')
    .action(async (key: string, { json }: JsonOption) => {
      const history = await withSessions((sessions) => sessions.get(key).stateHistory());
      if (json) printJson(history);
      else
        printLine(
          formatTable(
            ['FIRST SEEN', 'STATE', 'LEARNED BY'],
            history.map((entry) => [
              fullTime(entry.firstSeenAt, process.stdout),
              stateCell(entry),
              entry.source,
            ]),
          ),
        );
    });
}
