import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { optionalTsToDate, requiredTsToDate } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { SessionKind } from '../contract';
import { SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../workflows/protocol';
import { isPaysessionError } from '../errors';
import { failed, toPaysessionError } from './engine-errors';

/** Which sessions to list; every part that is given must match. */
export interface SessionFilter {
  readonly status?: string;
  readonly code?: string;
  readonly kind?: SessionKind;
  readonly referenceId?: string;
  /** Whether the session is still followed (true) or has ended (false). */
  readonly running?: boolean;
  readonly startedAfter?: Date;
  readonly startedBefore?: Date;
}

/** One line of a list, from the engine's index: it may lag behind the session by a moment. */
export interface SessionSummary {
  readonly key: string;
  readonly running: boolean;
  readonly kind?: string;
  readonly status?: string;
  readonly code?: string;
  readonly referenceId?: string;
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

const PAGE_SIZE = 200;
const RUNNING = temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;

/**
 * Throws `PaysessionError` `ENGINE_UNAVAILABLE` or `ENGINE_REFUSED` while iterating. Reads the index alone, and no memo:
 * sessions that are encrypted with a key that is not at hand are listed as all others.
 */
export async function* listSessions(client: Client, filter: SessionFilter): AsyncIterable<SessionSummary> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array = new Uint8Array();
  try {
    do {
      const page = await client.workflowService.listWorkflowExecutions({
        namespace,
        query: toQuery(filter),
        pageSize: PAGE_SIZE,
        nextPageToken,
      });
      for (const found of page.executions) yield toSummary(found);
      ({ nextPageToken } = page);
    } while (nextPageToken.length > 0);
  } catch (error) {
    const known = toPaysessionError('', error);
    // What is not found here is the namespace.
    throw isPaysessionError(known, 'SESSION_NOT_FOUND') ? failed('ENGINE_REFUSED', error) : known;
  }
}

function toQuery(filter: SessionFilter): string {
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
    ...(filter.startedAfter === undefined
      ? []
      : [`StartTime > ${quoted(filter.startedAfter.toISOString())}`]),
    ...(filter.startedBefore === undefined
      ? []
      : [`StartTime < ${quoted(filter.startedBefore.toISOString())}`]),
  ].join(' AND ');
}

/** A value as the engine's list filters take it. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

type Execution = temporal.api.workflow.v1.IWorkflowExecutionInfo;

function toSummary({ execution, status, startTime, closeTime, searchAttributes }: Execution): SessionSummary {
  const attribute = (name: string): string | undefined => {
    const payload = searchAttributes?.indexedFields?.[name];
    return payload == null ? undefined : defaultPayloadConverter.fromPayload<string>(payload);
  };
  const found = {
    kind: attribute(SEARCH_ATTRIBUTES.kind),
    status: attribute(SEARCH_ATTRIBUTES.status),
    code: attribute(SEARCH_ATTRIBUTES.code),
    referenceId: attribute(SEARCH_ATTRIBUTES.reference),
    endedAt: optionalTsToDate(closeTime),
  };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value != null));
  return {
    key: (execution?.workflowId ?? '').slice(WORKFLOW_ID_PREFIX.length),
    running: status === RUNNING,
    startedAt: requiredTsToDate(startTime, 'startTime'),
    ...known,
  };
}
