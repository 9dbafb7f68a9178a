/** Which keys follow a session of the payment service, have followed it, or are about to: what the engine knows of that. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { isSameSession, shortSessionId } from '../../src/contract/identity';
import { isPaysessionError } from '../../src/errors';
import { GRPC, grpcAnswerOf } from '../../src/protocol/temporal/grpc';
import { SEARCH_ATTRIBUTES, keyOfWorkflow, workflowIdOf, WORKFLOW_TYPE } from '../../src/protocol/names';
import type { SessionPhase } from '../../src/protocol/state/recorded';
import { quoted, textCondition } from '../../src/protocol/temporal/query-text';
import { toSummary, type PaymentSessions } from '../../src/sessions';
import { isFree, type ClaimResult } from '../../src/protocol/activities';

const { PENDING_ACTIVITY_STATE_SCHEDULED } = temporal.api.enums.v1.PendingActivityState;
/** More than these are not asked one by one: then nobody can tell. */
const MOST_KEYS = 200;

/** Nobody can tell, and there is no key to name. */
export const UNCLEAR: ClaimResult = { isUnclear: true };

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

export interface FollowersOptions {
  readonly client: Client;
  readonly sessions: PaymentSessions;
  readonly taskQueue: string;
}

/** Finds candidates in the index, and asks each of them what is true now. */
export class Followers {
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
