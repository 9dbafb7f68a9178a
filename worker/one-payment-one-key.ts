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

const POLL_EVERY_MS = 250;
/** The longest wait until it is clear whether another key has the session. */
const CLEAR_WITHIN_MS = 5_000;
/** The maximum number of sessions to remember. The index already shows the sessions created before them. */
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
 * A key that adopts a session claims it first, by starting a workflow whose id names the session. If two keys claim at the
 * same moment, the Temporal server lets one start. Temporal's visibility index shows all other keys, but it lags
 * behind. Once it shows the claim, it usually shows all earlier workflows too, including the one that created the
 * session. `docs/decisions/one-payment-one-key.md` says what that proves.
 */
export class TemporalClaims implements Claims {
  /**
   * The keys of the sessions that this worker created last, by session, oldest first. Where Temporal has no index, only
   * this map shows them. With an index, this worker may refuse at once a claim that another worker refuses a moment
   * later.
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
    // A claim is permanent, so a session that is known to belong to another key is not claimed.
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

  /** Checks if another key has claimed the session. Until that key follows it, its claim may still be refused. */
  async #claimed(sessionId: string, key: string): Promise<ClaimResult> {
    const claim = await describe(this.#options.client, claimWorkflowId(sessionId));
    const claimant = claim?.memo?.[CLAIMED_FOR];
    if (claim === undefined || claimant === key) return {};
    const other = String(claimant);
    if (await this.#followers.isOne(other, sessionId)) return { followedBy: other };
    return { isUnclear: true, maybeFollowedBy: other };
  }

  /** Waits until the index, if there is one, shows the claim. Returns false if that takes too long. */
  async #isIndexed(sessionId: string): Promise<boolean> {
    const { indexedWithinMs = 10_000 } = this.#options;
    const query = `WorkflowId = ${quoted(claimWorkflowId(sessionId))}`;
    const isShown = async () => (await findRuns(this.#options.client, query))?.size !== 0;
    return pollUntil(indexedWithinMs, isShown, Boolean);
  }
}

const isSettled = (result: ClaimResult): boolean => result.isUnclear !== true;

/** Polls until the value is wanted or the time is up. Returns the last value. */
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
/** The maximum number of keys to ask one by one. If there are more, the answer is unclear. */
const MOST_KEYS = 200;

/** The answer is unclear, and there is no key to name. */
const UNCLEAR: ClaimResult = { isUnclear: true };

/** Runs in the index, by the keys of their sessions, or by whole ids for workflows of other types. */
type FoundRuns = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Finds runs in Temporal's visibility index. Returns `undefined` if there is no index: Temporal's test server has none.
 */
async function findRuns(client: Client, query: string): Promise<FoundRuns | undefined> {
  const found = new Map<string, Set<string>>();
  try {
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const key = keyOfWorkflow(workflowId) ?? workflowId;
      found.set(key, (found.get(key) ?? new Set()).add(runId));
      // One more than the limit, because the key that asks may be among them.
      if (found.size > MOST_KEYS + 1) break;
    }
    return found;
  } catch (error) {
    if (grpcAnswerOf(error)?.code !== GRPC.UNIMPLEMENTED) throw error;
    return undefined;
  }
}

/**
 * Describes a workflow's latest run. The Temporal server answers from its current state, without the index's delay.
 * Returns `undefined` if the server does not know the workflow, or has forgotten it.
 */
async function describe(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

/**
 * Finds the keys that follow a session of the payment service, have followed it, or are about to. Takes candidates from
 * the index, and asks each of them for its current state.
 */
class Followers {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Finds another key that follows the session, has followed it, or may be about to. */
  async of(sessionId: string, key: string): Promise<ClaimResult> {
    // In this order: a key whose session is created meanwhile is then found by `#known` instead of `#creating`.
    const creating = await this.#creating(sessionId, key);
    const known = await this.#known(sessionId, key);
    return isFree(known) ? creating : known;
  }

  /** True if a key follows the session, or has followed it in its latest run. */
  async isOne(key: string, sessionId: string): Promise<boolean> {
    const described = await this.#describe(key);
    return described !== undefined && this.#follows(key, described, sessionId);
  }

  /**
   * Finds a key that has followed the session in any run, according to the index. A key that was reset has still
   * followed it.
   */
  async #known(sessionId: string, key: string): Promise<ClaimResult> {
    const found = await this.#find(key, [
      `${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortSessionId(sessionId) ?? '')}`,
      // Leaves out a run that continued as new, because the next run has the same short id.
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
   * Finds a key whose create may have opened the session: the create may have been sent, and its outcome is not known yet. A
   * create that is still to be sent will open another session.
   */
  async #creating(sessionId: string, key: string): Promise<ClaimResult> {
    const own = await this.#describe(key);
    const { account, referenceId } = toSummary(own?.raw.workflowExecutionInfo ?? {});
    if (account === undefined) return {};
    const { reference, phase } = SEARCH_ATTRIBUTES;
    const creating: SessionPhase = 'creating';
    // The index may lack the reference of another key, although both keys have the same reference.
    const isAlike = referenceId === undefined ? [] : conditionFor(reference, referenceId);
    const isAsked = referenceId === undefined || isAlike.length > 0;
    // All candidates are asked, so conditions that other sessions also meet do no harm.
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

  /** Finds sessions of other keys. Returns `undefined` if there are too many to ask. */
  async #find(key: string, conditions: readonly string[]): Promise<FoundRuns | undefined> {
    const query = [`WorkflowType = ${quoted(WORKFLOW_TYPE)}`, ...conditions].join(' AND ');
    const found = new Map(await findRuns(this.#options.client, query));
    // Not in the query: a key may contain any character.
    found.delete(key);
    return found.size > MOST_KEYS ? undefined : found;
  }

  #describe(key: string): Promise<WorkflowExecutionDescription | undefined> {
    return describe(this.#options.client, workflowIdOf(key));
  }

  /**
   * True if the key follows the session, or has followed it. A terminated workflow answers no query, but the server
   * still has the short id of the session that it followed.
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

/** Returns the condition for a value that equals a text; empty if no query can ask for that text. */
const conditionFor = (name: string, text: string): readonly string[] => {
  const asked = textCondition(name, text);
  return asked === undefined ? [] : [asked.condition];
};

/** True if a create is under way: a worker has taken it, so it may have been sent. */
function isSending({ raw }: WorkflowExecutionDescription): boolean {
  return (raw.pendingActivities ?? []).some(
    ({ activityType, state }) =>
      activityType?.name === 'createSession' && state !== PENDING_ACTIVITY_STATE_SCHEDULED,
  );
}

/** True if the workflow shows this session, or has received an event that it has not handled yet. */
const mayFollow = (described: WorkflowExecutionDescription, sessionId: string): boolean =>
  described.raw.pendingWorkflowTask != null || isShortOf(described, sessionId);

const isShortOf = ({ raw }: WorkflowExecutionDescription, sessionId: string): boolean =>
  toSummary(raw.workflowExecutionInfo ?? {}).shortId === shortSessionId(sessionId);
