import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { isPaid, type SessionKind } from '../../contract';
import { SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../protocol/names';
import { isPaysessionError } from '../../errors';
import { failed, toPaysessionError } from '../calls/engine-errors';
import { toMs } from '../timestamps';
import { newestFirst, type Part, type StartRange } from './newest-first';

/** Which sessions to list. All given fields must match. */
export interface SessionFilter {
  /** Only sessions whose last status is this one. */
  readonly status?: string;
  /** Only sessions whose last code is this one. */
  readonly code?: string;
  /** Only sessions of this kind. */
  readonly kind?: SessionKind;
  /** Only sessions with this reference; those with `indexReference: false` are not found by it. */
  readonly referenceId?: string;
  /** Whether the session is still running (true) or has ended (false). */
  readonly running?: boolean;
  /** Only sessions that were started after this time. */
  readonly startedAfter?: Date;
  /** Only sessions that were started before this time. */
  readonly startedBefore?: Date;
}

/** How a session's workflow closed. */
export type SessionOutcome = 'ended' | 'failed' | 'terminated';

/** One line of a list, from Temporal's index: it may lag behind the session by a moment. */
export interface SessionSummary {
  /** The session's key. */
  readonly key: string;
  /** Whether the session is still followed. */
  readonly running: boolean;
  /**
   * How the workflow closed; absent while it runs. `ended`: with a result. `failed`: no session could be created.
   * `terminated`: it was stopped from outside, or timed out.
   */
  readonly outcome?: SessionOutcome;
  /** Whether the payment is made, as in the session's state. */
  readonly paid: boolean;
  /** The kind of session. */
  readonly kind?: string;
  /** The last status; absent until the session is created. */
  readonly status?: string;
  /** The last code; absent where there is none. */
  readonly code?: string;
  /** The reference; absent where there is none, or where it is not indexed. */
  readonly referenceId?: string;
  /** When the session was started. */
  readonly startedAt: Date;
  /** When the workflow closed; absent while it runs. */
  readonly endedAt?: Date;
}

/** The largest page that the engine gives. */
const PAGE_SIZE = 1_000;
const { WorkflowExecutionStatus: STATUS } = temporal.api.enums.v1;

/**
 * Throws `PaysessionError` `ENGINE_UNAVAILABLE` or `ENGINE_REFUSED` while iterating. Reads only the index, so that it also
 * lists sessions that are encrypted with a key which is not here.
 */
export async function* listSessions(client: Client, filter: SessionFilter): AsyncIterable<SessionSummary> {
  try {
    yield* newestFirst((range, limit) =>
      readPart(client, [...toConditions(filter), ...within(range)], limit),
    );
  } catch (error) {
    const known = toPaysessionError('', error);
    // Here it is the namespace that was not found.
    throw isPaysessionError(known, 'SESSION_NOT_FOUND') ? failed('ENGINE_REFUSED', error) : known;
  }
}

async function readPart(
  client: Client,
  conditions: readonly string[],
  limit: number,
): Promise<Part<SessionSummary>> {
  const found: SessionSummary[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: conditions.join(' AND '),
      pageSize: PAGE_SIZE,
      nextPageToken,
    });
    found.push(...page.executions.map(toSummary));
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0 && found.length < limit);
  return { found, complete: nextPageToken.length === 0 };
}

function within({ fromMs, beforeMs }: StartRange): string[] {
  return [
    ...(fromMs === undefined ? [] : [`StartTime >= ${quotedTime(new Date(fromMs))}`]),
    ...(beforeMs === undefined ? [] : [`StartTime < ${quotedTime(new Date(beforeMs))}`]),
  ];
}

function toConditions(filter: SessionFilter): string[] {
  const equal = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`${name} = ${quoted(value)}`];
  return [
    ...equal('WorkflowType', WORKFLOW_TYPE),
    ...equal(SEARCH_ATTRIBUTES.status, filter.status),
    ...equal(SEARCH_ATTRIBUTES.code, filter.code),
    ...equal(SEARCH_ATTRIBUTES.kind, filter.kind),
    ...equal(SEARCH_ATTRIBUTES.reference, filter.referenceId),
    ...(filter.running === undefined ? [] : [`ExecutionStatus ${filter.running ? '=' : '!='} 'Running'`]),
    "ExecutionStatus != 'ContinuedAsNew'",
    ...(filter.startedAfter === undefined ? [] : [`StartTime > ${quotedTime(filter.startedAfter)}`]),
    ...(filter.startedBefore === undefined ? [] : [`StartTime < ${quotedTime(filter.startedBefore)}`]),
  ];
}

/** A value as the engine's list filters take it. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const quotedTime = (time: Date): string => quoted(time.toISOString());

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

function toSummary({ execution, status, startTime, closeTime, searchAttributes }: Execution): SessionSummary {
  const attribute = (name: string): string | undefined => {
    const payload = searchAttributes?.indexedFields?.[name];
    return payload == null ? undefined : defaultPayloadConverter.fromPayload<string>(payload);
  };
  const kind = attribute(SEARCH_ATTRIBUTES.kind) as SessionKind | undefined;
  const state = { status: attribute(SEARCH_ATTRIBUTES.status), code: attribute(SEARCH_ATTRIBUTES.code) };
  const found = {
    outcome: outcomeOf(status),
    kind,
    ...state,
    referenceId: attribute(SEARCH_ATTRIBUTES.reference),
    endedAt: closeTime && new Date(toMs(closeTime)),
  };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
  return {
    key: (execution?.workflowId ?? '').slice(WORKFLOW_ID_PREFIX.length),
    running: status === STATUS.WORKFLOW_EXECUTION_STATUS_RUNNING,
    startedAt: new Date(toMs(startTime ?? {})),
    paid: kind !== undefined && isPaid(kind, state),
    ...known,
  };
}

function outcomeOf(status: Execution['status']): SessionOutcome | undefined {
  switch (status) {
    case STATUS.WORKFLOW_EXECUTION_STATUS_RUNNING:
      return undefined;
    case STATUS.WORKFLOW_EXECUTION_STATUS_COMPLETED:
      return 'ended';
    case STATUS.WORKFLOW_EXECUTION_STATUS_FAILED:
      return 'failed';
    default:
      return 'terminated';
  }
}
