import type { Command } from 'commander';
import type { ResolveCreate } from '../../../src/protocol/resolution';
import { withSessions } from '../../shared/client';
import { addDecidedBy, decidedByOf, type DecidedByOptions } from '../../shared/decisions';
import { printJson, type JsonOption } from '../../shared/output';
import { printState } from '../../shared/print-state';

interface ResolveOptions extends JsonOption, DecidedByOptions {
  readonly sessionId?: string;
  readonly retry?: true;
  readonly abandon?: true;
}

export function registerResolve(program: Command): void {
  const command = program
    .command('resolve')
    .description('decide what to do about a create whose outcome is unknown')
    .argument('<key>', 'the session’s key')
    .option('--session-id <id>', 'it was created at the payment service, with this id: follow it')
    .option('--retry', 'it was not created: create it again')
    .option('--abandon', 'give up');
  addDecidedBy(command)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession resolve order-1042 --retry --reason "not in the list"')
    .action(async (key: string, options: ResolveOptions) => {
      const answer =
        resolutionOf(options) ??
        command.error('error: give exactly one of --session-id, --retry and --abandon');
      const state = await withSessions((sessions) =>
        sessions.get(key).resolveCreate(answer, decidedByOf(options)),
      );
      if (options.json) printJson(state);
      else printState(state);
    });
}

/** What was decided; `undefined` unless it is exactly one thing. */
function resolutionOf({ sessionId, retry, abandon }: ResolveOptions): ResolveCreate | undefined {
  const answers: ResolveCreate[] = [
    ...(sessionId === undefined ? [] : [{ sessionId }]),
    ...(retry ? [{ retry }] : []),
    ...(abandon ? [{ abandon }] : []),
  ];
  return answers.length === 1 ? answers[0] : undefined;
}
