import type { Command } from 'commander';
import type { DecidedBy } from '../../../src/protocol/decisions';
import { addDecidedBy } from '../../shared/decisions';
import { printJson, printLine, type JsonOption } from '../../shared/output';
import { styledState } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';

interface CancelOptions extends JsonOption, DecidedBy {
  readonly wait: boolean;
}

export function registerCancel(program: Command): void {
  const command = program
    .command('cancel')
    .description('cancel a session and show the outcome')
    .argument('<key>', 'the session’s key')
    .option('--no-wait', 'return as soon as the Temporal server has accepted the request');
  addDecidedBy(command, 'name of the person who cancels')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession cancel order-1042 --reason "the customer called"')
    .action(async (key: string, { wait, json, ...decidedBy }: CancelOptions) => {
      await withSessions(async (sessions) => {
        const session = sessions.get(key);
        if (!wait) {
          await session.cancel(decidedBy);
          if (json) printJson({ outcome: 'accepted' });
          else printLine('accepted: the session will be cancelled unless it ends first');
          return;
        }
        const reply = await waitingFor(`${key}: waiting for the payment service`, () =>
          session.cancelAndWait(decidedBy),
        );
        if (json) printJson(reply);
        else printLine(`${reply.outcome}: ${styledState(reply.state)}`);
      });
    });
}
