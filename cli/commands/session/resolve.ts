import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import type { ResolveCreate } from '../../../src/protocol/resolution';
import { withSessions } from '../../shared/client';
import { printJson, type JsonOption } from '../../shared/output';
import { printState } from '../../shared/print-state';

interface ResolveOptions extends JsonOption {
  readonly sessionId?: string;
  readonly retry?: true;
  readonly abandon?: true;
  readonly by?: string;
  readonly reason?: string;
}

export function registerResolve(program: Command): void {
  program
    .command('resolve')
    .description('decide what to do about a create whose outcome is unknown')
    .argument('<key>', 'the session’s key')
    .option('--session-id <id>', 'it was created at the payment service, with this id: follow it')
    .option('--retry', 'it was not created: create it again')
    .option('--abandon', 'give up')
    .addOption(new Option('--by <name>', 'who decided').default(userName(), 'your user name'))
    .option('--reason <text>', 'why')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession resolve order-1042 --retry --reason "not in the list"')
    .action(async (key: string, options: ResolveOptions, command: Command) => {
      const answer =
        resolutionOf(options) ??
        command.error('error: give exactly one of --session-id, --retry and --abandon');
      const { by, reason } = options;
      const decided = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
      const state = await withSessions((sessions) => sessions.get(key).resolveCreate(answer, decided));
      if (options.json) printJson(state);
      else printState(state);
    });
}

/** The operating system's name of the user; some containers have none. */
function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
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
