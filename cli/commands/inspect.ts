import type { Command } from 'commander';
import { explain } from '../../src/errors';
import type { Decision } from '../../src/protocol/recorded';
import type { SessionState } from '../../src/protocol/session';
import { withSessions } from '../shared/client';
import { formatState, formatTable, oneLine, printJson, printLine } from '../shared/output';

interface JsonOption {
  readonly json?: true;
}

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
            history.map((entry) => [entry.firstSeenAt, formatState(entry), entry.source]),
          ),
        );
    });
}

/** A session's state as lines of name and value. */
export function printState(state: SessionState): void {
  const { cancel, trouble, failure, paid } = state;
  const lines: readonly (readonly [string, string | number | null | undefined])[] = [
    ['key', state.key],
    ['phase', state.phase],
    ['state', formatState(state)],
    ['paid', paid ? 'yes' : 'no'],
    ['kind', state.kind],
    ['reference', state.referenceId],
    ['amount', state.amount],
    ['session id', state.sessionId],
    ['checkout', state.checkoutUrl],
    ['cancel', cancel && `${cancel.outcome ?? 'asked'} (by ${cancel.by}, ${cancel.requestedAt})`],
    ['unsigned', state.unsigned && 'the PAD agreement was not signed in time'],
    ['trouble', trouble && `${trouble.code}: ${explain(trouble)}`],
    ['waits until', trouble?.until],
    ['failure', failure && `${failure.code}: ${explain(failure)}`],
    ...state.anomalies.map(({ kind, detail, at }) => ['anomaly', `${kind}: ${detail} (${at})`] as const),
    ...state.decisions.map((decision) => ['decision', formatDecision(decision)] as const),
  ];
  for (const [name, value] of lines)
    if (value != null) printLine(`${name.padEnd(11)} ${oneLine(String(value))}`);
}

/** `retry by avery: applied, "not there" (2031-05-06T14:03:21.114Z)` */
function formatDecision({ decision, sessionId = '', by, reason, result, at }: Decision): string {
  const what = `${decision} ${sessionId}`.trimEnd();
  return `${what}${by === undefined ? '' : ` by ${by}`}: ${result}${reason === undefined ? '' : `, "${reason}"`} (${at})`;
}
