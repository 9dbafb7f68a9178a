import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { PaymentLedger } from '../../../ledger';
import type { WebhookDeliveriesOf } from '../../../ledger/webhooks/deliveries';
import { returnReason } from '../../../src/contract/return-codes';
import { isPaysessionError } from '../../../src/errors';
import { workflowIdOf } from '../../../src/protocol/names';
import type { ReadableLedger, RunWithMoney } from '../../../src/sessions';
import { printJson, printWarning, type JsonOption } from '../../shared/output';
import { printState, type AboutSession, type MoneyOfSession } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';

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
        const [history, { about: summary, run }] = await Promise.all([
          session.stateHistory(),
          summaryOf(client, key),
        ]);
        const money = ledger && (await readMoney(ledger, key, run));
        const webhooks = ledger && (await readWebhooks(ledger, key));
        const since = history.at(-1)?.firstSeenAt;
        return { state, about: { ...summary, since, ...money, webhooks } };
      });
      if (json) printJson({ ...state, ...about });
      else printState(state, about);
    });
}

/**
 * Reads from the ledger where the session's money is. If the ledger cannot be read within a second, warns and returns no facts.
 */
async function readMoney(
  ledger: ReadableLedger,
  key: string,
  run: RunWithMoney | undefined,
): Promise<MoneyOfSession> {
  const { moneyOf, readClaims } = await import('../../../src/sessions/index.js');
  const claims = await readClaims(ledger, key);
  if ('unread' in claims) {
    printWarning(`the ledger does not say whether money has settled or come back (${claims.unread}).`);
    return {};
  }
  const { claim, direction, settled, returned, handled } = moneyOf(claims, run);
  return {
    claim: claims.length > 1 ? claim : undefined,
    direction,
    settledAt: settled?.at,
    returnedAt: returned?.at,
    returnCode: returned?.code,
    returnAdvice: returnReason(returned?.code ?? '')?.advice,
    handledAt: handled?.at,
  };
}

/** Reads the deliveries of the session's webhooks. Returns `undefined` if there are none. If the ledger cannot be read, warns. */
async function readWebhooks(ledger: PaymentLedger, key: string): Promise<WebhookDeliveriesOf | undefined> {
  try {
    const read = await ledger.webhookDeliveries.of(key);
    return read.deliveries.length + read.waiting.length > 0 ? read : undefined;
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    printWarning(`the ledger does not say which webhooks were delivered (${error.code}).`);
    return undefined;
  }
}

interface Summarized {
  readonly about: AboutSession;
  /** Absent if only the ledger has the session. */
  readonly run?: RunWithMoney;
}

/** Reads the session's workflow from the Temporal server. If only the ledger has the session, returns no facts. */
async function summaryOf(client: Client, key: string): Promise<Summarized> {
  const { callTemporal, toSummary } = await import('../../../src/sessions/index.js');
  const described = callTemporal(key, () =>
    client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId: workflowIdOf(key) },
    }),
  );
  const { workflowExecutionInfo } = await described.catch((error: unknown) => {
    if (isPaysessionError(error, 'SESSION_NOT_FOUND')) return { workflowExecutionInfo: undefined };
    throw error;
  });
  if (workflowExecutionInfo == null) return { about: {} };
  const { account, startedAt, endedAt, runId, answered } = toSummary(workflowExecutionInfo);
  const { firstRunId, execution } = workflowExecutionInfo;
  const about = {
    account,
    // A session's workflow may continue in new runs. The session started with the first run.
    startedAt: firstRunId === execution?.runId ? startedAt.toISOString() : undefined,
    endedAt: endedAt?.toISOString(),
  };
  return { about, run: { firstRunId: firstRunId || runId, answered } };
}
