import type { Command } from 'commander';
import { explain } from '../../src/errors';
import { withSessions } from '../shared/client';
import { EXIT } from '../shared/exit-codes';
import { oneLine, printJsonLine, printLine, printProgress, type JsonOption } from '../shared/output';
import { styledState } from '../shared/styled-state';
import { fullTime } from '../shared/time';
import { watchStates } from '../shared/watch-states';

export function registerWatch(program: Command): void {
  program
    .command('watch')
    .description('show each state of a session as it happens, until it ends; exit code 0 only if it is paid')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', '\nExample:\n  $ paysession watch order-1042')
    .action(async (key: string, { json }: JsonOption) => {
      await withSessions(async (sessions) => {
        const session = sessions.get(key);
        for await (const entry of watchStates(session)) {
          if (json) printJsonLine(entry);
          else
            printLine(
              `${fullTime(entry.firstSeenAt, process.stdout)}  ${styledState(entry)}  (${entry.source})`,
            );
        }
        const { paid, failure } = await session.state();
        if (failure !== undefined)
          printProgress(oneLine(`The session failed: ${failure.code}: ${explain(failure)}`));
        else if (!paid) printProgress('The session has ended, and is not paid.');
        if (!paid) process.exitCode = failure === undefined ? EXIT.unpaid : EXIT.sessionFailed;
      });
    });
}
