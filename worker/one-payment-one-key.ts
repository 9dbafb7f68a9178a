import { temporal } from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Claims } from '../activities';
import { sessionIdentity } from '../src/contract';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { quoted, textCondition } from '../src/protocol/temporal/query-text';
import { toSummary, type PaymentSessions } from '../src/sessions';
import { isPaysessionError } from '../src/errors';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { keyOfWorkflow, SEARCH_ATTRIBUTES, WORKFLOW_TYPE, workflowIdOf } from '../src/protocol/names';
import type { SessionPhase } from '../src/protocol/state/recorded';
import {
  CLAIM_WORKFLOW_TYPE,
  CLAIMED_FOR,
  claimWorkflowId,
  isFree,
  type ClaimResult,
} from '../src/protocol/activities';
import { isSameSession, shortSessionId } from '../src/contract/identity';

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

const { PENDING_ACTIVITY_STATE_SCHEDULED } = temporal.api.enums.v1.PendingActivityState;
/** More than these are not asked one by one: then nobody can tell. */
const MOST_KEYS = 200;

/** Nobody can tell, and there is no key to name. */
const UNCLEAR: ClaimResult = { isUnclear: true };

/** Runs in the index, by the keys of their sessions; or by whole ids, for workflows of other types. */
type FoundRuns = ReadonlyMap<string, ReadonlySet<string>>;

/** What the engine's index shows. */
class Index {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Gives nothing where there is no index: Temporal's test server has none. */
  async find(query: string): Promise<FoundRuns | undefined> {
    const found = new Map<string, Set<string>>();
    try {
      for await (const { workflowId, runId } of this.#client.workflow.list({ query })) {
        const key = keyOfWorkflow(workflowId) ?? workflowId;
        found.set(key, (found.get(key) ?? new Set()).add(runId));
        // With the key that asks.
        if (found.size > MOST_KEYS + 1) break;
      }
      return found;
    } catch (error) {
      if (grpcAnswerOf(error)?.code !== GRPC.UNIMPLEMENTED) throw error;
      return undefined;
    }
  }
}

interface FollowersOptions {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
}

/**
 * Which keys follow a session of the payment service, have followed it, or are about to: finds candidates in the index, and asks each of them
 * what is true now.
 */
class Followers {
  readonly index: Index;
  readonly #options: FollowersOptions;

  constructor(options: FollowersOptions) {
    this.#options = options;
    this.index = new Index(options.client);
  }

  /** Who follows it, has followed it or may be about to, other than this key. */
  async of(sessionId: string, key: string): Promise<ClaimResult> {
    // In this order: a key that is told of its session meanwhile leaves those that are being created for those that are known.
    const creating = await this.#creating(sessionId, key);
    const known = await this.#known(sessionId, key);
    return isFree(known) ? creating : known;
  }

  /** Whether a key follows it, or has followed it in its latest run. */
  async isOne(key: string, sessionId: string): Promise<boolean> {
    const described = await this.#describe(key);
    return described !== undefined && this.#follows(key, described, sessionId);
  }

  /** Keys that the index knows to have followed it, in any run: one that was reset has followed it all the same. */
  async #known(sessionId: string, key: string): Promise<ClaimResult> {
    const found = await this.#find(key, [
      `${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortSessionId(sessionId) ?? '')}`,
      // Its next run has the same.
      "ExecutionStatus != 'ContinuedAsNew'",
    ]);
    if (found === undefined) return UNCLEAR;
    for (const [other, runs] of found) {
      const described = await this.#describe(other);
      if (described === undefined) continue;
      const isEarlier = [...runs].some((runId) => runId !== described.runId);
      if (isEarlier || (await this.#follows(other, described, sessionId))) return { followedBy: other };
    }
    return {};
  }

  /**
   * Keys that are being created, and whose create may have made it: it was sent, and what it has made is not told yet. One whose create
   * is still to be sent will make another session.
   */
  async #creating(sessionId: string, key: string): Promise<ClaimResult> {
    const own = await this.#describe(key);
    const { account, referenceId } = toSummary(own?.raw.workflowExecutionInfo ?? {});
    if (account === undefined) return {};
    const { reference, phase } = SEARCH_ATTRIBUTES;
    const creating: SessionPhase = 'creating';
    // The same reference need not be indexed.
    const isAlike = referenceId === undefined ? [] : conditionFor(reference, referenceId);
    const isAsked = referenceId === undefined || isAlike.length > 0;
    // All candidates are asked, so conditions that others meet as well do no harm.
    const found = await this.#find(key, [
      ...conditionFor('TaskQueue', this.#options.taskQueue),
      "ExecutionStatus = 'Running'",
      ...conditionFor(SEARCH_ATTRIBUTES.account, account),
      `${phase} = ${quoted(creating)}`,
      ...(isAsked ? [`(${[`${reference} IS NULL`, ...isAlike].join(' OR ')})`] : []),
    ]);
    if (found === undefined) return UNCLEAR;
    let unclear: ClaimResult = {};
    for (const other of found.keys()) {
      const described = await this.#describe(other);
      if (described === undefined) continue;
      if (isSending(described)) unclear = { isUnclear: true, maybeFollowedBy: other };
      else if (mayFollow(described, sessionId) && (await this.#follows(other, described, sessionId)))
        return { followedBy: other };
    }
    return unclear;
  }

  /** Sessions of other keys; nothing where there are too many to ask. */
  async #find(key: string, conditions: readonly string[]): Promise<FoundRuns | undefined> {
    const query = [`WorkflowType = ${quoted(WORKFLOW_TYPE)}`, ...conditions].join(' AND ');
    const found = new Map(await this.index.find(query));
    // Not by a condition: a key may have any sign.
    found.delete(key);
    return found.size > MOST_KEYS ? undefined : found;
  }

  /** The latest run as the engine has it now, which no index delays; nothing for one that it has forgotten. */
  async #describe(key: string): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await this.#options.client.workflow.getHandle(workflowIdOf(key)).describe();
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
      throw error;
    }
  }

  /** One that was terminated says nothing of itself any more, but the engine knows the beginning of what it followed. */
  async #follows(key: string, described: WorkflowExecutionDescription, sessionId: string): Promise<boolean> {
    try {
      const { sessionId: followed } = await this.#options.sessions.get(key).state();
      return followed !== undefined && isSameSession(followed, sessionId);
    } catch (error) {
      if (isPaysessionError(error, 'SESSION_NOT_FOUND')) return false;
      if (isPaysessionError(error, 'SESSION_TERMINATED')) return isShortOf(described, sessionId);
      throw error;
    }
  }
}

/** Nothing for a text that cannot be asked for. */
const conditionFor = (name: string, text: string): readonly string[] => {
  const asked = textCondition(name, text);
  return asked === undefined ? [] : [asked.condition];
};

/** Whether a create is under way: a worker has taken it, so that it may have been sent. */
function isSending({ raw }: WorkflowExecutionDescription): boolean {
  return (raw.pendingActivities ?? []).some(
    ({ activityType, state }) =>
      activityType?.name === 'createSession' && state !== PENDING_ACTIVITY_STATE_SCHEDULED,
  );
}

/** Whether it says that it follows it, or has been told something that it has not taken in yet. */
const mayFollow = (described: WorkflowExecutionDescription, sessionId: string): boolean =>
  described.raw.pendingWorkflowTask != null || isShortOf(described, sessionId);

const isShortOf = ({ raw }: WorkflowExecutionDescription, sessionId: string): boolean =>
  toSummary(raw.workflowExecutionInfo ?? {}).shortId === shortSessionId(sessionId);
