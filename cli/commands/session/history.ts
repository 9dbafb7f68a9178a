import type { Command } from 'commander';
import type { Decision, StateHistoryEntry } from '../../../src/protocol/state/recorded';
import type { SessionKind } from '../../../src/contract/statuses';
import { whatWasDecided } from '../../shared/decisions';
import { jsonLinesOption, jsonOption, jsonRows, printLine, type JsonRowsOptions } from '../../shared/output';
import { stateCell } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { formatTable } from '../../shared/table';
import { fullTime } from '../../shared/terminal';

export function registerHistory(program: Command): void {
  program
    .command('history')
    .description('show all recorded states of a session, and the decisions about the session')
    .argument('<key>', 'the session’s key')
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession history order-1042')
    .action(async (key: string, options: JsonRowsOptions) => {
      const json = jsonRows(options);
      await withSessions(async (sessions) => {
        const session = sessions.get(key);
        const history = await session.stateHistory();
        const { kind, decisions } = await session.state();
        history.forEach(json.add);
        json.end({ name: 'states', value: { decisions } });
        if (!json.isAsked) {
          printLine(statesTable(history, kind));
          if (decisions.length > 0) printLine(`\n${decisionsTable(decisions)}`);
        }
      });
    });
}

function statesTable(history: readonly StateHistoryEntry[], kind: SessionKind): string {
  return formatTable(
    ['FIRST SEEN', 'STATE', 'LEARNED BY'],
    history.map((entry) => [
      fullTime(entry.firstSeenAt, process.stdout),
      stateCell({ ...entry, kind }),
      entry.source,
    ]),
  );
}

function decisionsTable(decisions: readonly Decision[]): string {
  return formatTable(
    ['DECIDED', 'DECISION', 'BY', 'RESULT', { title: 'REASON', narrowed: 'wrapped' }],
    decisions.map((decision) => [
      fullTime(decision.at, process.stdout),
      whatWasDecided(decision),
      decision.by ?? '',
      decision.result,
      decision.reason ?? '',
    ]),
  );
}
