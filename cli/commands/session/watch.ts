import type { Command } from 'commander';
import { PROBLEMS, problemsOf, remedyOf, type SessionProblem } from '../../../src/protocol/state/problems';
import type { Decision, StateHistoryEntry } from '../../../src/protocol/state/recorded';
import type { SessionState } from '../../../src/protocol/state/session';
import type { PaymentSessionHandle } from '../../../src/sessions';
import { formatDecision } from '../../shared/decisions';
import { EXIT } from '../../shared/exit-codes';
import {
  jsonLinesOption,
  oneLine,
  printJsonLine,
  printLine,
  printProgress,
  type JsonLinesOption,
} from '../../shared/output';
import { styledState } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { fullTime } from '../../shared/terminal';

export function registerWatch(program: Command): void {
  program
    .command('watch')
    .description('show each state of a session as it happens, until it ends; exit code 0 only if it is paid')
    .argument('<key>', 'the session’s key')
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession watch order-1042')
    .action(watch);
}

async function watch(key: string, { jsonl }: JsonLinesOption): Promise<void> {
  let known: readonly SessionProblem[] = [];
  let decided: readonly Decision[] = [];
  await withSessions(async (sessions) => {
    for await (const { state, entries } of watchStates(sessions.get(key))) {
      for (const entry of entries) {
        if (jsonl) printJsonLine(entry);
        else
          printLine(
            `${fullTime(entry.firstSeenAt, process.stdout)}  ${styledState({ ...entry, kind: state.kind })}  (${entry.source})`,
          );
      }
      const problems = problemsOf(state);
      printProblems(
        key,
        problems.filter((problem) => !known.includes(problem)),
      );
      known = problems;
      printDecisions(state.decisions, decided);
      decided = state.decisions;
      if (state.phase === 'ended') await reportEnd(key, state);
    }
  });
}

/** Prints a session's problems on standard error, and for each what to do. */
function printProblems(key: string, problems: readonly SessionProblem[]): void {
  for (const problem of problems)
    printProgress(oneLine(`${problem}: ${PROBLEMS[problem].meaning} ${remedyOf(problem, key)}`));
}

/** Prints decisions on standard error if they are new, or if their result has changed. */
function printDecisions(decisions: readonly Decision[], known: readonly Decision[]): void {
  decisions
    .filter(({ result }, index) => result !== known[index]?.result)
    .forEach((decision) => {
      printProgress(oneLine(`decision: ${formatDecision(decision, process.stderr)}`));
    });
}

/** Sets the exit code if the session ended unpaid. Throws `SessionFailedError` if the session has failed. */
async function reportEnd(key: string, state: SessionState): Promise<void> {
  const { paid, failure } = state;
  if (failure !== undefined) {
    const { SessionFailedError } = await import('../../../src/sessions/index.js');
    throw new SessionFailedError(key, failure, state);
  }
  if (paid) return;
  printProgress('The session has ended, and is not paid.');
  process.exitCode = EXIT.unpaid;
}

/** A change of a watched session: the state after the change, and the history entries since the previous change. */
interface WatchedChange {
  readonly state: SessionState;
  readonly entries: readonly StateHistoryEntry[];
}

/** Yields each change of a session until the session has ended. The first change includes all earlier history entries. */
export async function* watchStates(session: PaymentSessionHandle): AsyncIterable<WatchedChange> {
  let given = 0;
  for await (const state of session.changes()) {
    const history = await session.stateHistory();
    yield { state, entries: history.slice(given) };
    given = history.length;
  }
}
