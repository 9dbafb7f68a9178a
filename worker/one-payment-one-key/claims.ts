import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Claims } from '../../activities';
import { sessionIdentity } from '../../src/contract';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { quoted } from '../../src/protocol/temporal/query-text';
import type { PaymentSessions } from '../../src/sessions';
import { Followers, UNCLEAR } from './followers';
import {
  CLAIM_WORKFLOW_TYPE,
  CLAIMED_FOR,
  claimWorkflowId,
  isFree,
  type ClaimResult,
} from '../../src/protocol/activities';

const LOOK_EVERY_MS = 250;
/** What was created before is in the index by then. */
const MOST_CREATED = 1_000;

export interface ClaimsOptions {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
  /** How long to wait for another key that may have the session, until it tells, in milliseconds. @default 5000 */
  readonly toldWithinMs?: number;
  /** How long to wait for the engine's index to show a claim, in milliseconds. @default 10000 */
  readonly indexedWithinMs?: number;
}

/**
 * Sees to it that one key follows a session of the payment service. Whoever adopts one claims it first, by the id of a workflow: of
 * two at the same moment, the engine lets one start. All others are found in the engine's index, which lags behind: once it shows
 * the claim, it mostly shows what was there before, and so whoever had created the session. `docs/decisions/one-payment-one-key.md`
 * says what that proves.
 */
export class EngineClaims implements Claims {
  /**
   * Keys by the sessions that this worker has created last, oldest first. It stands in where there is no index; where there is one, this
   * worker may refuse at once what another one refuses a moment later.
   */
  readonly #created = new Map<string, string>();
  readonly #followers: Followers;
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#followers = new Followers(options);
  }

  created(sessionId: string, key: string): void {
    this.#created.set(sessionIdentity(sessionId), key);
    dropOldest(this.#created, MOST_CREATED);
  }

  async preview(sessionId: string, key: string): Promise<ClaimResult> {
    const creator = this.#created.get(sessionIdentity(sessionId));
    if (creator !== undefined && creator !== key) return { followedBy: creator };
    const followers = await this.#followers.of(sessionId, key);
    return isFree(followers) ? this.#claimed(sessionId, key) : followers;
  }

  async claim(sessionId: string, key: string): Promise<ClaimResult> {
    const { toldWithinMs = 5_000 } = this.#options;
    const settled = () => pollUntil(toldWithinMs, () => this.preview(sessionId, key), isSettled);
    // What is known to be another's is not claimed: a claim stays.
    const before = await settled();
    if (!isFree(before)) return before;
    await this.#start(sessionId, key);
    return (await this.#isIndexed(sessionId)) ? settled() : UNCLEAR;
  }

  /** Starts the workflow that is the claim, unless there is one already. */
  async #start(sessionId: string, key: string): Promise<void> {
    const { client, taskQueue } = this.#options;
    try {
      await client.workflow.start(CLAIM_WORKFLOW_TYPE, {
        workflowId: claimWorkflowId(sessionId),
        taskQueue,
        args: [],
        memo: { [CLAIMED_FOR]: key },
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Whether another key has claimed it: until that follows it, it may still be refused. */
  async #claimed(sessionId: string, key: string): Promise<ClaimResult> {
    const { workflow } = this.#options.client;
    const claim = await workflow
      .getHandle(claimWorkflowId(sessionId))
      .describe()
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
        throw error;
      });
    const claimant = claim?.memo?.[CLAIMED_FOR];
    if (claim === undefined || claimant === key) return {};
    const other = String(claimant);
    if (await this.#followers.isOne(other, sessionId)) return { followedBy: other };
    return { isUnclear: true, maybeFollowedBy: other };
  }

  /** Waits until the engine's index shows the claim; gives false where it takes too long. */
  async #isIndexed(sessionId: string): Promise<boolean> {
    const { indexedWithinMs = 10_000 } = this.#options;
    const query = `WorkflowId = ${quoted(claimWorkflowId(sessionId))}`;
    const found = await pollUntil(
      indexedWithinMs,
      () => this.#followers.index.find(query),
      (runs) => runs?.size !== 0,
    );
    return found?.size !== 0;
  }
}

const isSettled = (result: ClaimResult): boolean => result.isUnclear !== true;

/** Looks until it is as wanted, or time is up; gives what it saw last. */
async function pollUntil<T>(
  milliseconds: number,
  look: () => Promise<T>,
  isWanted: (value: T) => boolean,
): Promise<T> {
  const untilMs = performance.now() + milliseconds;
  for (;;) {
    const value = await look();
    if (isWanted(value) || performance.now() >= untilMs) return value;
    await sleep(LOOK_EVERY_MS);
  }
}
