import { temporal } from '@temporalio/proto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Claims } from '../activities';
import { sessionIdentity } from '../src/contract';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { quoted, textCondition } from '../src/protocol/temporal/query-text';
import { isGone, toSummary, type PaymentSessions } from '../src/sessions';
import { isPaysessionError } from '../src/errors';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { keyOfWorkflow, WORKFLOW_TYPE, workflowIdOf } from '../src/protocol/names';
import type { SessionPhase } from '../src/protocol/state/recorded';
import {
  CLAIM_WORKFLOW_TYPE,
  CLAIMED_FOR,
  claimWorkflowId,
  isFree,
  type ClaimResult,
} from '../src/protocol/activities';
import { isSameSession, shortSessionId } from '../src/contract/identity';
import { SEARCH_ATTRIBUTES } from '../src/protocol/temporal/search-attributes';

/**
 * An operator can name the session that a key's create request has opened; the key then adopts that session. This module makes sure
 * that two keys never follow the same session, because each of them would count the payment as its own.
 *
 * A key follows a session if the key's workflow polls that session.
 */

const POLL_EVERY_MS = 250;
/** The longest wait for a clear answer to the question if another key follows the session. */
const CLEAR_WITHIN_MS = 5_000;
/** The maximum number of created sessions to remember. Temporal's index already shows all sessions that were created before these. */
const MOST_CREATED = 1_000;

export interface ClaimsOptions {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
  /** The longest wait until Temporal's visibility index shows a claim, in milliseconds. @default 10000 */
  readonly indexedWithinMs?: number;
}

/**
 * Makes sure that only one key follows a session of the payment service.
 *
 * Before a key adopts a session, its worker claims the session: the worker starts a claim workflow whose id contains the session's id.
 * If two keys claim a session at the same moment, the Temporal server starts only one claim workflow.
 *
 * The claim does not show a key that created the session itself. Temporal's visibility index shows that key, but with a delay. So the
 * worker waits until the index shows the claim. By then the index usually shows all earlier workflows too, including the one that
 * created the session. `docs/decisions/one-payment-one-key.md` says how much that proves.
 */
export class TemporalClaims implements Claims {
  /**
   * The sessions that this worker created last, and their keys, oldest first. If Temporal has an index, this map only makes a
   * refusal faster. If Temporal has no index, only this map shows which key created a session.
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
    const settled = () => pollUntil(CLEAR_WITHIN_MS, () => this.preview(sessionId, key), isSettled);
    // A claim is permanent. So the worker first checks if another key has the session.
    const before = await settled();
    if (!isFree(before)) return before;
    await this.#start(sessionId, key);
    return (await this.#isIndexed(sessionId)) ? settled() : UNCLEAR;
  }

  /** Starts the claim workflow of a session. Does nothing if the session already has one. */
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

  /**
   * Checks if another key has claimed the session. If that key does not follow the session yet, the answer is unclear, because the
   * worker may still refuse that key's claim.
   */
  async #claimed(sessionId: string, key: string): Promise<ClaimResult> {
    const claim = await describe(this.#options.client, claimWorkflowId(sessionId));
    const claimant = claim?.memo?.[CLAIMED_FOR];
    if (claim === undefined || claimant === key) return {};
    const other = String(claimant);
    if (await this.#followers.isOne(other, sessionId)) return { followedBy: other };
    return { isUnclear: true, maybeFollowedBy: other };
  }

  /** Waits until Temporal's index shows the claim. Returns true at once if there is no index, and false if the wait is too long. */
  async #isIndexed(sessionId: string): Promise<boolean> {
    const { indexedWithinMs = 10_000 } = this.#options;
    const query = `WorkflowId = ${quoted(claimWorkflowId(sessionId))}`;
    const isShown = async () => (await findRuns(this.#options.client, query))?.size !== 0;
    return pollUntil(indexedWithinMs, isShown, Boolean);
  }
}

const isSettled = (result: ClaimResult): boolean => result.isUnclear !== true;

/** Reads a value repeatedly until `isWanted` accepts it or the time is up. Returns the last value. */
async function pollUntil<T>(
  milliseconds: number,
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
): Promise<T> {
  const untilMs = performance.now() + milliseconds;
  for (;;) {
    const value = await read();
    if (isWanted(value) || performance.now() >= untilMs) return value;
    await sleep(POLL_EVERY_MS);
  }
}

const { PENDING_ACTIVITY_STATE_SCHEDULED } = temporal.api.enums.v1.PendingActivityState;
/** The maximum number of other keys whose states are read. If there are more, the answer is unclear. */
const MOST_KEYS = 200;

/** The answer if it is unclear whether another key follows the session, and no such key is known. */
const UNCLEAR: ClaimResult = { isUnclear: true };

/** The ids of the runs that the index shows, by session key. A workflow that is not a session's is listed by its workflow id. */
type FoundRuns = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Finds workflow runs in Temporal's visibility index. Returns `undefined` if there is no index, as in Temporal's test server.
 */
async function findRuns(client: Client, query: string): Promise<FoundRuns | undefined> {
  const found = new Map<string, Set<string>>();
  try {
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const key = keyOfWorkflow(workflowId) ?? workflowId;
      found.set(key, (found.get(key) ?? new Set()).add(runId));
      // One more than the limit: the caller's own key may be among the keys found, and does not count.
      if (found.size > MOST_KEYS + 1) break;
    }
    return found;
  } catch (error) {
    if (grpcAnswerOf(error)?.code !== GRPC.UNIMPLEMENTED) throw error;
    return undefined;
  }
}

/**
 * Describes a workflow's latest run. The Temporal server reads its database for this, so there is no delay as in the index.
 * Returns `undefined` if the server does not have the workflow.
 */
async function describe(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Finds the keys that follow a session of the payment service, have followed it, or may be about to follow it. The index shows
 * candidates. The class then reads the current state of each candidate.
 */
class Followers {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Finds a key other than `key` that follows the session, has followed it, or may be about to follow it. */
  async of(sessionId: string, key: string): Promise<ClaimResult> {
    // `#creating` runs first. If a key's create request ends between the two searches, `#known` still finds the key.
    const creating = await this.#creating(sessionId, key);
    const known = await this.#known(sessionId, key);
    return isFree(known) ? creating : known;
  }

  /** True if the key's latest run follows the session or has followed it. */
  async isOne(key: string, sessionId: string): Promise<boolean> {
    const described = await this.#describe(key);
    return described !== undefined && this.#follows(key, described, sessionId);
  }

  /**
   * Finds a key with any run that has followed the session, according to the index. An earlier run counts too: an operator may have
   * reset the workflow since.
   */
  async #known(sessionId: string, key: string): Promise<ClaimResult> {
    const found = await this.#find(key, [
      `${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortSessionId(sessionId) ?? '')}`,
      // A run that continued as new is left out, because the run after it has the same short id.
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
   * Finds a key whose create request may have opened the session: the request may have been sent, and its outcome is not known yet.
   * A request that has not been sent yet does not count, because it will open another session.
   */
  async #creating(sessionId: string, key: string): Promise<ClaimResult> {
    const own = await this.#describe(key);
    const { account, referenceId } = toSummary(own?.raw.workflowExecutionInfo ?? {});
    if (account === undefined) return {};
    const { reference, phase } = SEARCH_ATTRIBUTES;
    const creating: SessionPhase = 'creating';
    // The index may lack the reference of another key, even if that key has the same reference as this one.
    const isAlike = referenceId === undefined ? [] : conditionFor(reference, referenceId);
    const isAsked = referenceId === undefined || isAlike.length > 0;
    // These conditions may also match sessions that have nothing to do with this one. The loop below sorts those out.
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

  /** Finds the sessions of other keys that meet the conditions. Returns `undefined` if there are more than {@link MOST_KEYS}. */
  async #find(key: string, conditions: readonly string[]): Promise<FoundRuns | undefined> {
    const query = [`WorkflowType = ${quoted(WORKFLOW_TYPE)}`, ...conditions].join(' AND ');
    const found = new Map(await findRuns(this.#options.client, query));
    // The key is removed here and not in the query, because a key may contain characters that a query cannot contain.
    found.delete(key);
    return found.size > MOST_KEYS ? undefined : found;
  }

  #describe(key: string): Promise<WorkflowExecutionDescription | undefined> {
    return describe(this.#options.client, workflowIdOf(key));
  }

  /**
   * True if the key follows the session or has followed it. A terminated workflow answers no query, so for such a workflow the
   * method compares the short session id that the Temporal server still has.
   */
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

/** Returns the query's condition that an attribute equals a text. Returns [] if a query cannot contain that text. */
const conditionFor = (name: string, text: string): readonly string[] => {
  const asked = textCondition(name, text);
  return asked === undefined ? [] : [asked.condition];
};

/** True if a worker has started the activity `createSession`, so that the create request may have been sent. */
function isSending({ raw }: WorkflowExecutionDescription): boolean {
  return (raw.pendingActivities ?? []).some(
    ({ activityType, state }) =>
      activityType?.name === 'createSession' && state !== PENDING_ACTIVITY_STATE_SCHEDULED,
  );
}

/** True if the workflow's attributes name this session, or if the workflow still has an event to handle that may name it. */
const mayFollow = (described: WorkflowExecutionDescription, sessionId: string): boolean =>
  described.raw.pendingWorkflowTask != null || isShortOf(described, sessionId);

const isShortOf = ({ raw }: WorkflowExecutionDescription, sessionId: string): boolean =>
  toSummary(raw.workflowExecutionInfo ?? {}).shortId === shortSessionId(sessionId);
