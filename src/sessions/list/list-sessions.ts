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
 * One line of a list, from Temporal's index, which may lag behind the session by a moment. A key that was used again has a line for each
 * of its sessions.
 */
export interface SessionSummary {
  /** The session's key. */
  readonly key: string;
  /** Temporal's id of the session's current run. */
  readonly runId: string;
  /** True if the session's workflow is still running. */
  readonly running: boolean;
  /**
   * The way in which the workflow closed; absent while it runs. `ended`: with a result. `failed`: with an error.
   * `terminated`: it was stopped from outside, or timed out.
   */
  readonly outcome?: SessionOutcome;
  /**
   * True if the payor has done all that the payment needs, as `paid` of {@link SessionState}. A regular EFT can still come back.
   */
  readonly paid: boolean;
  /** The phase of the session's life. May be absent until a worker has begun the session, for instance if another SDK started it. */
  readonly phase?: SessionPhase;
  /** Problems that a person may have to act on. */
  readonly problems: readonly SessionProblem[];
  /** The error code of the workflow's failure; only with the outcome `failed`. */
  readonly failure?: ErrorCode;
  /** The kind of session. May be absent until a worker has accepted the session's input. */
  readonly kind?: string;
  /** The last status, or `unreadable` if it does not look like a status; absent while there is none. */
  readonly status?: string;
  /** The last code, or `unreadable` if it does not look like a code; absent if the session has none. */
  readonly code?: string;
  /** The reference; absent if the session has none, or if it is not indexed. */
  readonly referenceId?: string;
  /** The metadata that the policy makes searchable; absent if there are none. */
  readonly metadata?: Metadata;
  /**
   * The amount that the request asks for, in dollars. Absent if the payor chooses the amount, if this client lacks the key that
   * encrypts it, and for sessions that another SDK has started.
   */
  readonly amount?: number;
  /**
   * `DEBIT`: money from the payor. `CREDIT`: money to the payor. Absent if this client lacks the key that encrypts it, and for
   * sessions that another SDK has started.
   */
  readonly direction?: SessionRequest['direction'];
  /**
   * True if the ledger has answered this run: the key's session had ended, or failed, before the run began. The run opened no
   * session, and ended none.
   */
  readonly answered?: true;
  /** The account. May be absent until a worker has accepted the session's input. */
  readonly account?: string;
  /** The first eight characters of the session's id at the payment service, in lower case; absent until the session is created. */
  readonly shortId?: string;
  /**
   * The time between the poll that saw the session's end and the poll before it, in milliseconds: usually the longest possible delay.
   * Absent if the end was seen otherwise, for instance by a refresh or a cancellation.
   */
  readonly changeDelayMs?: number;
  /** The start of the session's current run. A session of many polls continues in a new run now and then. */
  readonly startedAt: Date;
  /** The time at which the workflow closed; absent while it runs. */
  readonly endedAt?: Date;
}

/** The largest page that the Temporal server returns. */
const PAGE_SIZE = 1_000;
const { WorkflowExecutionStatus: STATUS } = temporal.api.enums.v1;

/**
 * Lists sessions, newest first. Throws `PaysessionError` `INVALID_FILTER`, and the errors of `toIndexError`, while iterating. Reads only
 * the index, so that it also lists sessions that are encrypted with a key that this client lacks.
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
 * Returns the paysession error for an error of a call that names no session, such as a query of the index: usually `TEMPORAL_UNAVAILABLE`,
 * `TEMPORAL_BUSY` or `TEMPORAL_REFUSED`. Returns an error that is not the Temporal server's unchanged.
 */
export function toIndexError(error: unknown): unknown {
  // Such a call waits for no worker.
  if (isTimeout(error)) return failed('TEMPORAL_UNAVAILABLE', error);
  const known = toPaysessionError('', error);
  // It names no session, so the server has not found the namespace.
  return isPaysessionError(known, 'SESSION_NOT_FOUND') ? failed('TEMPORAL_REFUSED', error) : known;
}

/** Reads sessions that meet the conditions and are wanted, in any order. May stop once it has found `limit` of them. */
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
 * Returns open sessions of a task queue that meet further conditions, from the index, without the fields of their memos. Returns at most
 * `most` sessions: usually the newest ones, because most indexes return these first.
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

/** Returns a session's line of a list, with the fields that only its memo has. */
export const toWholeSummary = async (client: Client, execution: Execution): Promise<SessionSummary> => ({
  ...toSummary(execution),
  ...(await askedIn(client, execution)),
});

/** Returns the fields of a session's line that only its memo has. */
async function askedIn(
  client: Client,
  { memo, execution }: Execution,
): Promise<Pick<SessionSummary, 'amount' | 'direction'>> {
  // No memo has an amount without a direction.
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
    // A list also shows sessions that are encrypted with a key that this client lacks.
    return {};
  }
}

function startTimeConditions({ fromMs, beforeMs }: StartRange): string[] {
  return [
    ...(fromMs === undefined ? [] : [`StartTime >= ${quotedTime(new Date(fromMs))}`]),
    ...(beforeMs === undefined ? [] : [`StartTime < ${quotedTime(new Date(beforeMs))}`]),
  ];
}

/** The clocks of the Temporal server's machines differ by less than this. */
const CLOCKS_APART_MS = 60_000;

/**
 * Returns conditions on the start time, and one on the end time: a session that started after a time has ended after it. An SQL index
 * finds ended sessions by their end, and not by their start.
 */
function endTimeConditions(range: StartRange): string[] {
  const { fromMs } = range;
  const ended =
    fromMs === undefined ? [] : [`CloseTime >= ${quotedTime(new Date(fromMs - CLOCKS_APART_MS))}`];
  return [...startTimeConditions(range), ...ended];
}

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

/** Returns a session's line of a list without the fields of its memo, from the index or from the description of its workflow. */
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

/** The beginning of a page: after the session with this key, which started at this time. */
export type PageStart = Pick<SessionSummary, 'key' | 'startedAt'>;

export interface PageOptions {
  /** The maximum number of sessions on the page. */
  readonly size: number;
  /** The page begins after this session. @default it begins with the newest session */
  readonly after?: PageStart | undefined;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** The beginning of the next page; absent on the last one. */
  readonly next?: PageStart | undefined;
}

/**
 * The number of sessions to read at once. The newest half of them usually fills a page, and each costs the Temporal server time.
 */
const sortedAtOnce = (size: number): number => 2 * size + 10;

/** Returns a page of the sessions that match a filter, newest first. Throws the errors of a list. */
export async function sessionsPage(
  client: Client,
  filter: SessionFilter,
  { size, after }: PageOptions,
): Promise<SessionPage> {
  // Other sessions that started in that session's millisecond may come after it.
  const beforeMs = after && after.startedAt.getTime() + 1;
  const sessions: SessionSummary[] = [];
  for await (const summary of listSessions(client, filter, { beforeMs, sortedAtOnce: sortedAtOnce(size) })) {
    if (after !== undefined && byNewest(after, summary) >= 0) continue;
    if (sessions.length === size) return { sessions, next: sessions.at(-1) };
    sessions.push(summary);
  }
  return { sessions };
}

/** Counts the sessions that match. Throws the errors of a list. */
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
