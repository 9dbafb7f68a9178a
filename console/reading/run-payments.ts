import type { Client } from '@temporalio/client';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import { withTimeout, type SessionSummary } from '../../src/sessions';
import type { LedgerSession } from '../../ledger';
import type { LedgerPayments } from '../../ledger/sessions/ledger-payments';

/** The ledger's sessions, by the ids of their runs. */
export type PaymentsOfRuns = ReadonlyMap<string, LedgerSession>;

/** A run of a session's workflow. */
type Run = Pick<SessionSummary, 'key' | 'runId'>;

/** The most runs that one look asks Temporal about. The next look asks about others. */
const MOST_ASKED = 10;
const ASKED_WITHIN_MS = 2_000;
/** The runs that are remembered. */
const MOST_KNOWN = 10_000;

/** Finds runs in the ledger: for each its workflow's own claim, and no other claim of the key. */
export class RunPayments {
  /**
   * The first run of the workflow that a run belongs to, which names the workflow's claim in the ledger. Temporal's index does not have it,
   * and it differs from the run only where a session of many polls has gone on in a new run, or was reset. It never changes, so it is asked
   * once.
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
    const ownOf = (key: string, firstRunId: string | undefined) =>
      claims.get(key)?.find((claim) => claim.firstRunId === firstRunId);
    // Most runs are the first of their workflows, and the ledger knows them by that.
    await this.#askFirstRuns(
      runs.filter(({ key, runId }) => claims.has(key) && ownOf(key, runId) === undefined),
    );
    return new Map(
      runs.flatMap(({ key, runId }) => {
        const own = ownOf(key, this.#firstRuns.get(runId) ?? runId);
        return own === undefined ? [] : [[runId, own] as const];
      }),
    );
  }

  /** Remembers the first runs of some of these. One that Temporal does not answer for stays unknown. */
  async #askFirstRuns(runs: readonly Run[]): Promise<void> {
    const unknown = runs.filter(({ runId }) => !this.#firstRuns.has(runId));
    await Promise.allSettled(unknown.slice(0, MOST_ASKED).map((run) => this.#askFirstRun(run)));
  }

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
