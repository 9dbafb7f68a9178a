import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import type { ResolveCreate } from '../../src/protocol/resolution';
import { withSessions } from '../shared/client';
import { formatState, printJson, printLine } from '../shared/output';
import { printState } from './inspect';

interface JsonOption {
  readonly json?: true;
}

export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('cancel a session and show what became of it')
    .argument('<key>', 'the session’s key')
    .option('--no-wait', 'return as soon as the Temporal server has accepted the cancel')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession cancel order-1042')
    .action(async (key: string, { wait, json }: JsonOption & { readonly wait: boolean }) => {
      await withSessions(async (sessions) => {
        const session = sessions.get(key);
        if (!wait) {
          await session.cancel();
          if (json) printJson({ outcome: 'accepted' });
          else printLine('accepted: the cancel will reach the payment service');
          return;
        }
        const reply = await session.cancelAndWait();
        if (json) printJson(reply);
        else printLine(`${reply.outcome}: ${formatState(reply.state)}`);
      });
    });
}

export function registerRefresh(program: Command): void {
  program
    .command('refresh')
    .description('poll the payment service at once and show the state')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession refresh order-1042')
    .action(async (key: string, { json }: JsonOption) => {
      const state = await withSessions((sessions) => sessions.get(key).refresh());
      if (json) printJson(state);
      else printState(state);
    });
}

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
