import type { Client } from '@temporalio/client';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import { withTimeout, type SessionSummary } from '../../src/sessions';

/** A run of a session's workflow. */
type Run = Pick<SessionSummary, 'key' | 'runId'>;

/** The most runs that one look asks Temporal about. The next look asks about others. */
const MOST_ASKED = 10;
const ASKED_WITHIN_MS = 2_000;
/** The runs that are remembered. */
const MOST_KNOWN = 10_000;

/**
 * The first run of the workflow that a run belongs to, which names the workflow's claim in the ledger. Temporal's index does not have it, and
 * it differs from the run only where a session of many polls has gone on in a new run, or was reset. It never changes, so it is asked once.
 */
export class FirstRuns {
  readonly #known = new Map<string, string>();
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns the first runs that are known, by the ids of these runs. A run that Temporal does not answer for is absent. */
  async of(runs: readonly Run[]): Promise<ReadonlyMap<string, string>> {
    const unknown = runs.filter(({ runId }) => !this.#known.has(runId));
    await Promise.allSettled(unknown.slice(0, MOST_ASKED).map((run) => this.#ask(run)));
    return new Map(
      runs.flatMap(({ runId }) => {
        const first = this.#known.get(runId);
        return first === undefined ? [] : [[runId, first] as const];
      }),
    );
  }

  async #ask({ key, runId }: Run): Promise<void> {
    const { workflowService, options } = this.#client;
    const { workflowExecutionInfo } = await withTimeout(this.#client, ASKED_WITHIN_MS, () =>
      workflowService.describeWorkflowExecution({
        namespace: options.namespace,
        execution: { workflowId: `${WORKFLOW_ID_PREFIX}${key}`, runId },
      }),
    );
    this.#known.set(runId, workflowExecutionInfo?.firstRunId || runId);
    dropOldest(this.#known, MOST_KNOWN);
  }
}
