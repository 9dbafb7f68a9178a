import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Claims } from '../activities';
import { isSameSession, shortSessionId } from '../src/contract/session-id';
import { isPaysessionError } from '../src/errors';
import { CLAIM_WORKFLOW_TYPE, CLAIMED_FOR, claimWorkflowId } from '../src/protocol/claims';
import { SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../src/protocol/names';
import { quoted, toSummary, type PaymentSessions } from '../src/sessions';

const UNIMPLEMENTED = 12;
/** An id's beginning is one of four billion: more than a few sessions that share it, runs of one among them, are a mistake. */
const MOST_CANDIDATES = 20;
/** A session that looks the same and is being created has told what was created by then, where nothing is wrong. */
const CREATED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 500;
/** What was created before is in the index by then. */
const MOST_CREATED = 1_000;

export interface ClaimsOptions {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
}

/**
 * Sees to it that one key follows a session of the payment service. A session that was created, or adopted some time ago, is found in
 * the engine's index. That lags behind, so a worker remembers what it has created last, and whoever adopts also claims, by the id of a workflow: of two at the same moment, the
 * engine lets one start.
 */
export class EngineClaims implements Claims {
  /** Keys by the sessions that this worker has created last, oldest first. */
  readonly #created = new Map<string, string>();

  constructor(private readonly options: ClaimsOptions) {}

  created(sessionId: string, key: string): void {
    this.#created.set(sessionId.toLowerCase(), key);
    const [oldest] = this.#created.keys();
    if (this.#created.size > MOST_CREATED && oldest !== undefined) this.#created.delete(oldest);
  }

  async followerOf(sessionId: string, key: string): Promise<string | undefined> {
    const [creating] = await this.#creatingAlike(key);
    return creating ?? (await this.#known(sessionId, key)) ?? (await this.#claimant(sessionId, key));
  }

  async claim(sessionId: string, key: string): Promise<string | undefined> {
    const creating = await this.#stillCreating(key);
    const follower = creating ?? (await this.#known(sessionId, key));
    if (follower !== undefined) return follower;
    const { client, taskQueue } = this.options;
    try {
      await client.workflow.start(CLAIM_WORKFLOW_TYPE, {
        workflowId: claimWorkflowId(sessionId),
        taskQueue,
        args: [],
        memo: { [CLAIMED_FOR]: key },
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return this.#claimant(sessionId, key);
    }
  }

  /** Who is still being created by the end of a wait, and looks like this key's session: what it has created may not be told yet. */
  async #stillCreating(key: string): Promise<string | undefined> {
    const untilMs = performance.now() + CREATED_WITHIN_MS;
    for (;;) {
      const [creating] = await this.#creatingAlike(key);
      if (creating === undefined || performance.now() >= untilMs) return creating;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Other keys that are being created now with the same account, kind and reference; none for a payment without a reference. */
  async #creatingAlike(key: string): Promise<readonly string[]> {
    const { client, taskQueue } = this.options;
    const { raw } = await client.workflow.getHandle(`${WORKFLOW_ID_PREFIX}${key}`).describe();
    const { account, kind, referenceId } = toSummary(raw.workflowExecutionInfo ?? {});
    if (account === undefined || kind === undefined || referenceId === undefined) return [];
    const alike = { account, kind, reference: referenceId, phase: 'creating' } as const;
    const conditions = Object.entries(alike).map(
      ([name, value]) => `${SEARCH_ATTRIBUTES[name as keyof typeof alike]} = ${quoted(value)}`,
    );
    const keys = await this.#keysFound(
      [
        `WorkflowType = ${quoted(WORKFLOW_TYPE)}`,
        `TaskQueue = ${quoted(taskQueue)}`,
        "ExecutionStatus = 'Running'",
        ...conditions,
      ].join(' AND '),
    );
    return [...keys].filter((other) => other !== key);
  }

  /** Who has claimed it, other than this key. */
  async #claimant(sessionId: string, key: string): Promise<string | undefined> {
    const { workflow } = this.options.client;
    const claim = await workflow
      .getHandle(claimWorkflowId(sessionId))
      .describe()
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
        throw error;
      });
    const claimant = claim?.memo?.[CLAIMED_FOR];
    return claim === undefined || claimant === key ? undefined : String(claimant);
  }

  /** Who follows it, or has followed it, as this worker or the index knows. */
  async #known(sessionId: string, key: string): Promise<string | undefined> {
    const creator = this.#created.get(sessionId.toLowerCase());
    return creator === undefined || creator === key ? this.#indexed(sessionId, key) : creator;
  }

  /** Who is known to the index to follow it, or to have followed it. */
  async #indexed(sessionId: string, key: string): Promise<string | undefined> {
    for (const candidate of await this.#candidates(sessionId)) {
      if (candidate !== key && (await this.#follows(candidate, sessionId))) return candidate;
    }
    return undefined;
  }

  /** The keys of the sessions whose id begins as this one. */
  #candidates(sessionId: string): Promise<ReadonlySet<string>> {
    const shortId = shortSessionId(sessionId) ?? '';
    return this.#keysFound(
      `WorkflowType = ${quoted(WORKFLOW_TYPE)} AND ${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortId)}`,
    );
  }

  async #keysFound(query: string): Promise<ReadonlySet<string>> {
    const keys = new Set<string>();
    try {
      for await (const { workflowId } of this.options.client.workflow.list({ query })) {
        keys.add(workflowId.slice(WORKFLOW_ID_PREFIX.length));
        if (keys.size >= MOST_CANDIDATES) break;
      }
    } catch (error) {
      // Temporal's test server has no index.
      const answer = error instanceof Error ? error.cause : undefined;
      const code: number | undefined = isGrpcServiceError(answer) ? answer.code : undefined;
      if (code !== UNIMPLEMENTED) throw error;
    }
    return keys;
  }

  /** One that was terminated says nothing of itself any more, but the index says what it followed. */
  async #follows(key: string, sessionId: string): Promise<boolean> {
    try {
      const { sessionId: followed } = await this.options.sessions.get(key).state();
      return followed !== undefined && isSameSession(followed, sessionId);
    } catch (error) {
      if (isPaysessionError(error, 'SESSION_NOT_FOUND')) return false;
      if (isPaysessionError(error, 'SESSION_TERMINATED')) return true;
      throw error;
    }
  }
}
