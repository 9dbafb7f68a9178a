import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { SessionKind } from '../contract';
import { SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../workflows/protocol';
import { toPaysessionError } from './engine-errors';

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

/** Throws `PaysessionError` `ENGINE_UNAVAILABLE` while iterating. */
export async function* listSessions(client: Client, filter: SessionFilter): AsyncIterable<SessionSummary> {
  try {
    for await (const info of client.workflow.list({ query: toQuery(filter) })) yield toSummary(info);
  } catch (error) {
    throw toPaysessionError('', error);
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

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function toSummary(info: WorkflowExecutionInfo): SessionSummary {
  const attribute = (name: string) =>
    info.typedSearchAttributes.get(defineSearchAttributeKey(name, SearchAttributeType.KEYWORD));
  const found = {
    kind: attribute(SEARCH_ATTRIBUTES.kind),
    status: attribute(SEARCH_ATTRIBUTES.status),
    code: attribute(SEARCH_ATTRIBUTES.code),
    referenceId: attribute(SEARCH_ATTRIBUTES.reference),
    endedAt: info.closeTime,
  };
  const known = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  return {
    key: info.workflowId.slice(WORKFLOW_ID_PREFIX.length),
    running: info.status.name === 'RUNNING',
    startedAt: info.startTime,
    ...known,
  };
}
