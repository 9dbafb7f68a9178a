import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { isPaid, type SessionKind, type SessionRequest } from '../../contract';
import { ANSWERED_PHASE, ASKED_AMOUNT, ASKED_DIRECTION, WORKFLOW_ID_PREFIX } from '../../protocol/names';
import { isSessionProblem, type SessionProblem } from '../../protocol/state/problems';
import { isSessionPhase, type SessionPhase } from '../../protocol/state/recorded';
import { metadataOfWords, type Metadata } from '../../protocol/metadata';
import { isErrorCode, isPaysessionError, type ErrorCode } from '../../errors';
import { failed, isTimeout, toPaysessionError } from '../calls/temporal-errors';
import {
  conditionsOf,
  isExact,
  isMatch,
  isOfEnded,
  openSessionsOn,
  quotedTime,
  type SessionFilter,
} from './filter';
import { newestFirst, type Extent, type Part, type StartRange, byNewest } from './newest-first';
import { decodePayloads } from '../../encryption/payload-codec';
import { toMs } from '../temporal-values';
import { SEARCH_ATTRIBUTES } from '../../protocol/temporal/search-attributes';

/** The way in which a session's workflow closed. */
export type SessionOutcome = 'ended' | 'failed' | 'terminated';

/**
 * One line of a list. It comes from Temporal's visibility index, which may be a moment behind the session. If a key was used again, each
 * of its sessions has a line.
 */
export interface SessionSummary {
  /** The session's key. */
  readonly key: string;
  /** Temporal's id of the session's current run. */
  readonly runId: string;
  /** True if the session's workflow is still running. */
  readonly running: boolean;
  /**
   * The way in which the workflow closed: `ended` with a result, `failed` with an error, or `terminated`, which means that it was stopped
   * from outside or timed out. Absent while the workflow runs.
   */
  readonly outcome?: SessionOutcome;
  /** True if the payor has done all that the payment needs; see `paid` of {@link SessionState}. A regular EFT can still come back. */
  readonly paid: boolean;
  /** The phase of the session's life. May be absent until a worker has begun the session, for instance if another SDK has started it. */
  readonly phase?: SessionPhase;
  /** Problems that a person may have to act on. */
  readonly problems: readonly SessionProblem[];
  /** The error code of the workflow's failure. Only with the outcome `failed`. */
  readonly failure?: ErrorCode;
  /** The kind of session. May be absent until a worker has accepted the session's input. */
  readonly kind?: string;
  /** The last status, or `unreadable` if the service's text does not look like a status. Absent until there is a status. */
  readonly status?: string;
  /** The last code, or `unreadable` if the service's text does not look like a code. Absent if the session has no code. */
  readonly code?: string;
  /** The reference. Absent if the session has none, or if the policy does not index it. */
  readonly referenceId?: string;
  /** The metadata that the policy makes searchable. Absent if there are none. */
  readonly metadata?: Metadata;
  /**
   * The request's amount, in dollars. Absent if the payor chooses the amount, if this client lacks the encryption key, and if another SDK
   * has started the session.
   */
  readonly amount?: number;
  /**
   * `DEBIT` takes money from the payor. `CREDIT` sends money to the payor. Absent if this client lacks the encryption key, and if another
   * SDK has started the session.
   */
  readonly direction?: SessionRequest['direction'];
  /** True if this run opened no session of its own, because the ledger showed that the key's session had already ended or failed. */
  readonly answered?: true;
  /** The account. May be absent until a worker has accepted the session's input. */
  readonly account?: string;
  /** The first eight characters of the session's id at the payment service, in lower case. Absent until the session is created. */
  readonly shortId?: string;
  /**
   * The time between the poll that showed the session's end and the previous poll, in milliseconds. It usually is the maximum delay with
   * which the end was detected. Absent if another call showed the end, for instance a refresh or a cancellation.
   */
  readonly changeDelayMs?: number;
  /** The start of the session's current run. A session with many polls sometimes continues in a new run. */
  readonly startedAt: Date;
  /** The time at which the workflow closed. Absent while the workflow runs. */
  readonly endedAt?: Date;
}

/** The largest page that the Temporal server returns. */
const PAGE_SIZE = 1_000;
const { WorkflowExecutionStatus: STATUS } = temporal.api.enums.v1;

/**
 * Lists sessions, newest first. During the iteration, throws `PaysessionError` `INVALID_FILTER` and the errors of `toIndexError`. Reads
 * only the index, so it also lists sessions that this client cannot decrypt.
 */
export async function* listSessions(
  client: Client,
  filter: SessionFilter,
  extent: Extent = {},
): AsyncIterable<SessionSummary> {
  const conditions = conditionsOf(filter);
  const condition = isOfEnded(filter) ? endTimeConditions : startTimeConditions;
  try {
    yield* newestFirst(
      (range, limit) =>
        readSome(client, [...conditions, ...condition(range)], limit, (summary) => isMatch(filter, summary)),
      extent,
    );
  } catch (error) {
    throw toIndexError(error);
  }
}

/**
 * Converts the error of a call that names no session, such as a query of the index, to a paysession error. The code usually is
 * `TEMPORAL_UNAVAILABLE`, `TEMPORAL_BUSY` or `TEMPORAL_REFUSED`. Returns an error that does not come from the Temporal server unchanged.
 */
export function toIndexError(error: unknown): unknown {
  // Such a call needs no worker, so a timeout means that the Temporal server does not answer.
  if (isTimeout(error)) return failed('TEMPORAL_UNAVAILABLE', error);
  const known = toPaysessionError('', error);
  // The call names no session, so "not found" means the namespace.
  return isPaysessionError(known, 'SESSION_NOT_FOUND') ? failed('TEMPORAL_REFUSED', error) : known;
}

/**
 * Reads the sessions that meet the conditions and for which `isWanted` returns true, in any order. May stop once it has found `limit`
 * sessions.
 */
export async function readSome(
  client: Client,
  conditions: readonly string[],
  limit: number,
  isWanted: (summary: SessionSummary) => boolean = () => true,
): Promise<Part<SessionSummary>> {
  const found: SessionSummary[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: conditions.join(' AND '),
      pageSize: Math.min(PAGE_SIZE, limit),
      nextPageToken,
    });
    const summaries = await Promise.all(page.executions.map((one) => toWholeSummary(client, one)));
    found.push(...summaries.filter(isWanted));
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0 && found.length < limit);
  return { found, complete: nextPageToken.length === 0 };
}

/**
 * Returns up to `most` running sessions of a task queue that meet further conditions, without the fields of their memos. They are usually
 * the newest sessions, because most indexes return the newest sessions first.
 */
export async function newestOpen(
  client: Client,
  taskQueue: string,
  most: number,
  ...conditions: readonly string[]
): Promise<readonly (SessionSummary & { readonly workflowId: string })[]> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: [openSessionsOn(taskQueue), ...conditions].join(' AND '),
    pageSize: most,
  });
  return executions.map((one) => ({ ...toSummary(one), workflowId: one.execution?.workflowId ?? '' }));
}

/** Returns a session's line of a list, including the fields that come from the memo. */
export const toWholeSummary = async (client: Client, execution: Execution): Promise<SessionSummary> => ({
  ...toSummary(execution),
  ...(await askedIn(client, execution)),
});

/** Returns the fields of a session's line that come from the memo. */
async function askedIn(
  client: Client,
  { memo, execution }: Execution,
): Promise<Pick<SessionSummary, 'amount' | 'direction'>> {
  // A memo with an amount always has a direction.
  const stored = [ASKED_DIRECTION, ASKED_AMOUNT].flatMap((name) => memo?.fields?.[name] ?? []);
  const { namespace, loadedDataConverter } = client.options;
  const { payloadCodecs, payloadConverter } = loadedDataConverter;
  const context = { type: 'workflow', namespace, workflowId: execution?.workflowId ?? '' } as const;
  try {
    const decoded = await decodePayloads(payloadCodecs, stored, context);
    const [direction, dollars] = decoded.map((payload): unknown => payloadConverter.fromPayload(payload));
    const amount = Number(dollars ?? NaN);
    return {
      ...(Number.isFinite(amount) && { amount }),
      ...((direction === 'DEBIT' || direction === 'CREDIT') && { direction }),
    };
  } catch {
    // This client may lack the encryption key. The list then shows the session without these fields.
    return {};
  }
}

function startTimeConditions({ fromMs, beforeMs }: StartRange): string[] {
  return [
    ...(fromMs === undefined ? [] : [`StartTime >= ${quotedTime(new Date(fromMs))}`]),
    ...(beforeMs === undefined ? [] : [`StartTime < ${quotedTime(new Date(beforeMs))}`]),
  ];
}

/** The assumed maximum difference between the clocks of the Temporal server's machines. */
const CLOCKS_APART_MS = 60_000;

/**
 * Returns the conditions of a range of start times, for ended sessions. Adds a condition on the end time, because SQL databases find
 * ended sessions by their end and not by their start. The added condition excludes nothing: a session ends after it has started.
 */
function endTimeConditions(range: StartRange): string[] {
  const { fromMs } = range;
  const ended =
    fromMs === undefined ? [] : [`CloseTime >= ${quotedTime(new Date(fromMs - CLOCKS_APART_MS))}`];
  return [...startTimeConditions(range), ...ended];
}

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Returns a session's line of a list, without the fields that come from the memo. */
export function toSummary({
  execution,
  status,
  startTime,
  closeTime,
  searchAttributes,
}: Execution): SessionSummary {
  const indexed = (name: string): unknown => {
    const payload = searchAttributes?.indexedFields?.[name];
    return payload == null ? undefined : defaultPayloadConverter.fromPayload(payload);
  };
  const values = (name: string): readonly string[] =>
    [indexed(name)].flat().filter((value) => typeof value === 'string');
  const attribute = (name: string): string | undefined => values(name)[0];
  const outcome = outcomeOf(status);
  const running = outcome === undefined;
  const changeDelayMs = indexed(SEARCH_ATTRIBUTES.changeDelay);
  const problems = values(SEARCH_ATTRIBUTES.problem);
  const kind = attribute(SEARCH_ATTRIBUTES.kind) as SessionKind | undefined;
  const state = { status: attribute(SEARCH_ATTRIBUTES.status), code: attribute(SEARCH_ATTRIBUTES.code) };
  const phases = values(SEARCH_ATTRIBUTES.phase);
  const metadata = metadataOfWords(values(SEARCH_ATTRIBUTES.metadata));
  const found = {
    outcome,
    phase: running ? phases.find(isSessionPhase) : 'ended',
    answered: phases.includes(ANSWERED_PHASE) ? true : undefined,
    failure: problems.find(isErrorCode),
    kind,
    ...state,
    referenceId: attribute(SEARCH_ATTRIBUTES.reference),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    account: attribute(SEARCH_ATTRIBUTES.account),
    shortId: attribute(SEARCH_ATTRIBUTES.shortId),
    changeDelayMs: typeof changeDelayMs === 'number' ? changeDelayMs : undefined,
    endedAt: closeTime && new Date(toMs(closeTime)),
  };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
  return {
    key: (execution?.workflowId ?? '').slice(WORKFLOW_ID_PREFIX.length),
    runId: execution?.runId ?? '',
    running,
    problems: problems.filter(isSessionProblem),
    startedAt: new Date(toMs(startTime ?? {})),
    paid: kind !== undefined && isPaid(kind, state),
    ...known,
  };
}

function outcomeOf(status: Execution['status']): SessionOutcome | undefined {
  switch (status) {
    case STATUS.WORKFLOW_EXECUTION_STATUS_RUNNING:
    case STATUS.WORKFLOW_EXECUTION_STATUS_PAUSED:
      return undefined;
    case STATUS.WORKFLOW_EXECUTION_STATUS_COMPLETED:
      return 'ended';
    case STATUS.WORKFLOW_EXECUTION_STATUS_FAILED:
      return 'failed';
    default:
      return 'terminated';
  }
}

/** The last session before a page, by its key and its start. */
export type PageStart = Pick<SessionSummary, 'key' | 'startedAt'>;

export interface PageOptions {
  /** The maximum number of sessions on the page. */
  readonly size: number;
  /** The page begins after this session. @default the page begins with the newest session */
  readonly after?: PageStart | undefined;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** The last session of this page: pass it as `after` to get the next page. Absent on the last page. */
  readonly next?: PageStart | undefined;
}

/**
 * The number of sessions to read at once for a page. Usually, the newest half of them fills the page. A larger number would only cost the
 * Temporal server time.
 */
const sortedAtOnce = (size: number): number => 2 * size + 10;

/** Returns a page of the sessions that match a filter, newest first. Throws the errors of a list. */
export async function sessionsPage(
  client: Client,
  filter: SessionFilter,
  { size, after }: PageOptions,
): Promise<SessionPage> {
  // One millisecond is added, because other sessions may have started in the same millisecond as the session `after`.
  const beforeMs = after && after.startedAt.getTime() + 1;
  const sessions: SessionSummary[] = [];
  for await (const summary of listSessions(client, filter, { beforeMs, sortedAtOnce: sortedAtOnce(size) })) {
    if (after !== undefined && byNewest(after, summary) >= 0) continue;
    if (sessions.length === size) return { sessions, next: sessions.at(-1) };
    sessions.push(summary);
  }
  return { sessions };
}

/** Counts the sessions that match the filter. Throws the errors of a list. */
export async function countSessions(client: Client, filter: SessionFilter): Promise<number> {
  const conditions = conditionsOf(filter);
  if (!isExact(filter)) return Readable.from(listSessions(client, filter)).reduce((count) => count + 1, 0);
  try {
    const { count } = await client.workflow.count(conditions.join(' AND '));
    return count;
  } catch (error) {
    throw toIndexError(error);
  }
}
