import { isGrpcServiceError, type Client } from '@temporalio/client';
import { isSessionId, shortSessionId } from '../../contract';
import { SEARCH_ATTRIBUTES, WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../protocol/names';
import { conditionsOf, MAX_TEXT_LENGTH, quoted } from './filter';
import { readSome, toIndexError, toSummary, type SessionSummary } from './list-sessions';
import { byNewest } from './newest-first';

/** The most sessions that a search gives. */
export const MAX_FOUND = 50;

/**
 * Sessions whose key or reference is a text, or whose id at the payment service it is; if there are none, those whose key or
 * reference begins with it: newest first, 50 at most. An id finds by its first eight characters, which is all that the index
 * has: it would open the payor's page. An engine on SQLite or PostgreSQL finds no reference with a quotation mark or a
 * backslash, nor one that begins or ends with an apostrophe. Throws what a list of sessions throws.
 */
export async function searchSessions(client: Client, text: string): Promise<readonly SessionSummary[]> {
  if (text === '' || text.length > MAX_TEXT_LENGTH) return [];
  const workflowId = `${WORKFLOW_ID_PREFIX}${text}`;
  const shortId = shortIdOf(text);
  const { reference } = SEARCH_ATTRIBUTES;
  try {
    const [withKey, others] = await Promise.all([
      readKey(client, workflowId),
      readEach(client, [
        `${reference} = ${quoted(text)}`,
        ...(shortId === undefined ? [] : [`${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortId)}`]),
      ]),
    ]);
    const exact = distinct([...withKey, ...others]);
    if (exact.length > 0) return exact;
    return await readEach(client, [
      `WorkflowId STARTS_WITH ${quoted(workflowId)}`,
      `${reference} STARTS_WITH ${quoted(text)}`,
    ]);
  } catch (error) {
    throw toIndexError(error);
  }
}

/** An id, or its beginning as lists show it. */
function shortIdOf(text: string): string | undefined {
  return /^[0-9a-f]{8}$/i.test(text)
    ? text.toLowerCase()
    : isSessionId(text)
      ? shortSessionId(text)
      : undefined;
}

/** What matches any of the conditions, each session once. */
async function readEach(client: Client, conditions: readonly string[]): Promise<readonly SessionSummary[]> {
  const parts = await Promise.all(
    conditions.map((condition) => readSome(client, [...conditionsOf({}), condition], MAX_FOUND)),
  );
  return distinct(parts.flatMap(({ found }) => found));
}

/** gRPC's status code of what is not there. */
const NOT_FOUND = '5';

/** The session of a workflow, which may not be in the index yet; there, the engine's index on SQLite finds no id with a quotation mark. */
async function readKey(client: Client, workflowId: string): Promise<readonly SessionSummary[]> {
  try {
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId },
    });
    return workflowExecutionInfo?.type?.name === WORKFLOW_TYPE ? [toSummary(workflowExecutionInfo)] : [];
  } catch (error) {
    if (isGrpcServiceError(error) && String(error.code) === NOT_FOUND) return [];
    throw error;
  }
}

function distinct(found: readonly SessionSummary[]): readonly SessionSummary[] {
  const byKey = new Map(found.map((summary) => [summary.key, summary]));
  return [...byKey.values()].sort(byNewest).slice(0, MAX_FOUND);
}
