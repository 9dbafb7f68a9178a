import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { isPaysessionError } from '../../../src/errors';
import { workflowIdOf } from '../../../src/protocol/names';
import { withSessions } from '../../shared/run/client';
import type { ReadableLedger } from '../../../src/sessions';
import { printJson, printWarning, type JsonOption } from '../../shared/screen/output';
import { printState, type AboutSession, type MoneyOfSession } from '../../shared/session/print-state';

export function registerState(program: Command): void {
  program
    .command('state')
    .description('show what a session is doing, and what to do next')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession state order-1042 --json')
    .action(async (key: string, { json }: JsonOption) => {
      const { state, about } = await withSessions(async (sessions, { client, ledger }) => {
        const session = sessions.get(key);
        const state = await session.state();
        const [history, summary, money] = await Promise.all([
          session.stateHistory(),
          summaryOf(client, key),
          ledger && moneyOf(ledger, key),
        ]);
        const since = history.at(-1)?.firstSeenAt;
        return { state, about: { ...summary, ...(since !== undefined && { since }), ...money } };
      });
      if (json) printJson({ ...state, ...about });
      else printState(state, about);
    });
}

/** What the ledger tells of its money, as its lists have it; nothing but a warning where it does not tell now. */
async function moneyOf(ledger: ReadableLedger, key: string): Promise<MoneyOfSession> {
  const { readMoney } = await import('../../../src/sessions/index.js');
  const money = await readMoney(ledger, key);
  if ('unread' in money) {
    printWarning(`the ledger does not tell whether money has settled or come back (${money.unread}).`);
    return {};
  }
  const { settled, returned } = money;
  return {
    ...(settled && { settledAt: settled.at }),
    ...(returned && { returnedAt: returned.at }),
    ...(returned?.code !== undefined && { returnCode: returned.code }),
  };
}

/** What the engine tells of the session's workflow; nothing of one that only the ledger knows. */
async function summaryOf(client: Client, key: string): Promise<AboutSession> {
  const { callEngine, toSummary } = await import('../../../src/sessions/index.js');
  const described = callEngine(key, () =>
    client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId: workflowIdOf(key) },
    }),
  );
  const { workflowExecutionInfo } = await described.catch((error: unknown) => {
    if (isPaysessionError(error, 'SESSION_NOT_FOUND')) return { workflowExecutionInfo: undefined };
    throw error;
  });
  if (workflowExecutionInfo == null) return {};
  const { account, startedAt, endedAt } = toSummary(workflowExecutionInfo);
  const { firstRunId, execution } = workflowExecutionInfo;
  return {
    ...(account !== undefined && { account }),
    // A session of many polls goes on in new runs: the first one's start is the session's.
    ...(firstRunId === execution?.runId && { startedAt: startedAt.toISOString() }),
    ...(endedAt !== undefined && { endedAt: endedAt.toISOString() }),
  };
}
