import type { Client } from '@temporalio/client';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import { withTimeout, type SessionSummary } from '../../src/sessions';
import type { LedgerSession } from '../../ledger';
import type { LedgerPayments } from '../../ledger/sessions/ledger-payments';

/** The ledger's payments, by the ids of their runs. */
export type PaymentsOfRuns = ReadonlyMap<string, LedgerSession>;

/** A run of a session's workflow. */
type Run = Pick<SessionSummary, 'key' | 'runId'>;

/** The maximum number of runs for which one read calls Temporal. The next read calls for further runs. */
const MOST_ASKED = 10;
const ASKED_WITHIN_MS = 2_000;
/** The maximum number of runs kept. */
const MOST_KNOWN = 10_000;

/**
 * Finds the ledger's payment of each workflow run. A claim is the ledger's record that a key belongs to one workflow. A key may have
 * several claims, and only the claim of the run's own workflow counts.
 */
export class RunPayments {
  /**
   * The id of the first run of each run's workflow. The ledger stores this id with the workflow's claim. A run is not its workflow's first
   * run if the session had a long history and continued in a new run, or if the workflow was reset. Temporal's index does not contain the
   * first run, so each takes one call. It never changes.
   */
  readonly #firstRuns = new Map<string, string>();
  readonly #client: Client;
  readonly #payments: Pick<LedgerPayments, 'claimsAmong'>;

  constructor(client: Client, payments: Pick<LedgerPayments, 'claimsAmong'>) {
    this.#client = client;
    this.#payments = payments;
  }

  async of(runs: readonly Run[]): Promise<PaymentsOfRuns> {
    const claims = new Map<string, LedgerSession[]>();
    for (const claim of await this.#payments.claimsAmong([...new Set(runs.map(({ key }) => key))]))
      claims.set(claim.key, [...(claims.get(claim.key) ?? []), claim]);
    const ownOf = ({ key, runId }: Run) =>
      claims.get(key)?.find(({ firstRunId }) => firstRunId === (this.#firstRuns.get(runId) ?? runId));
    // Most runs are the first runs of their workflows. The ledger finds their claims by the ids of the runs themselves.
    const unknown = runs.filter(
      (run) => claims.has(run.key) && !this.#firstRuns.has(run.runId) && ownOf(run) === undefined,
    );
    // If Temporal does not answer for a run, the run stays unknown.
    await Promise.allSettled(unknown.slice(0, MOST_ASKED).map((run) => this.#askFirstRun(run)));
    return new Map(
      runs.flatMap((run) => {
        const own = ownOf(run);
        return own === undefined ? [] : [[run.runId, own] as const];
      }),
    );
  }

  /** Reads the first run of a run's workflow from Temporal, and stores it. */
  async #askFirstRun({ key, runId }: Run): Promise<void> {
    const { workflowService, options } = this.#client;
    const { workflowExecutionInfo } = await withTimeout(this.#client, ASKED_WITHIN_MS, () =>
      workflowService.describeWorkflowExecution({
        namespace: options.namespace,
        execution: { workflowId: `${WORKFLOW_ID_PREFIX}${key}`, runId },
      }),
    );
    this.#firstRuns.set(runId, workflowExecutionInfo?.firstRunId || runId);
    dropOldest(this.#firstRuns, MOST_KNOWN);
  }
}
