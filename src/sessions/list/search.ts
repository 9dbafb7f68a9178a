import type { Client } from '@temporalio/client';
import { shortSessionId } from '../../contract';
import { GRPC, isAnswer } from '../../protocol/temporal/grpc';
import { workflowIdOf, WORKFLOW_TYPE } from '../../protocol/names';
import { quoted, textCondition } from '../../protocol/temporal/query-text';
import { conditionsOf, MAX_TEXT_LENGTH } from './filter';
import { readSome, toIndexError, toWholeSummary, type SessionSummary } from './list-sessions';
import { byNewest } from './newest-first';
import { SEARCH_ATTRIBUTES } from '../../protocol/temporal/search-attributes';

/** The maximum number of sessions that a search returns. */
const MAX_FOUND = 50;

/**
 * Finds the sessions whose key, reference or id at the payment service equals the text. If there are none, finds the sessions whose key or
 * reference begins with the text. Returns at most 50 sessions, newest first. Throws the errors of `toIndexError`.
 *
 * Only the first eight characters of an id are compared. The index has no more of it, because the whole id opens the payor's page.
 *
 * A reference that begins with a question mark, an apostrophe, a quotation mark, a backslash, a line break or a tab may not be found.
 */
export async function searchSessions(client: Client, text: string): Promise<readonly SessionSummary[]> {
  if (text === '' || text.length > MAX_TEXT_LENGTH) return [];
  const workflowId = workflowIdOf(text);
  const shortId = shortIdOf(text);
  const inKey: Wanted = {
    name: 'WorkflowId',
    text: workflowId,
    valueOf: ({ key }) => workflowIdOf(key),
  };
  const inReference: Wanted = {
    name: SEARCH_ATTRIBUTES.reference,
    text,
    valueOf: ({ referenceId = '' }) => referenceId,
  };
  try {
    const exact = await Promise.all([
      readKey(client, workflowId),
      readWanted(client, inReference, '='),
      shortId === undefined ? [] : read(client, `${SEARCH_ATTRIBUTES.shortId} = ${quoted(shortId)}`),
    ]);
    if (exact.flat().length > 0) return distinct(exact.flat());
    const begun = [inKey, inReference].map((wanted) => readWanted(client, wanted, 'STARTS_WITH'));
    return distinct((await Promise.all(begun)).flat());
  } catch (error) {
    throw toIndexError(error);
  }
}

/**
 * Returns the first eight characters of an id. The text may be a whole id, or the eight characters that lists show. Returns `undefined`
 * for any other text.
 */
function shortIdOf(text: string): string | undefined {
  return /^[0-9a-f]{8}$/i.test(text) ? text.toLowerCase() : shortSessionId(text);
}

/** A text to search for: the search attribute to compare, and a function that returns the attribute's value from a session's summary. */
interface Wanted {
  readonly name: string;
  readonly text: string;
  readonly valueOf: (summary: SessionSummary) => string;
}

/** If Temporal's index cannot search for the whole text, at most this many found sessions are compared here. */
const MAX_COMPARED = 1_000;

/** Reads the sessions whose value equals the text, or begins with it. */
async function readWanted(
  client: Client,
  { name, text, valueOf }: Wanted,
  how: '=' | 'STARTS_WITH',
): Promise<readonly SessionSummary[]> {
  const asked = textCondition(name, text, how);
  if (asked?.isExact) return read(client, asked.condition);
  const found = await (asked === undefined
    ? readAsItIs(client, `${name} ${how} ${quoted(text)}`)
    : read(client, asked.condition, MAX_COMPARED));
  return found.filter((summary) =>
    how === '=' ? valueOf(summary) === text : valueOf(summary).startsWith(text),
  );
}

/**
 * Searches for a text although only some Temporal servers can find its first character. Finds nothing if the text has a question mark,
 * because such a query fails on PostgreSQL.
 */
const readAsItIs = (client: Client, condition: string): Promise<readonly SessionSummary[]> =>
  condition.includes('?') ? Promise.resolve([]) : read(client, condition);

async function read(
  client: Client,
  condition: string,
  limit = MAX_FOUND,
): Promise<readonly SessionSummary[]> {
  const { found } = await readSome(client, [...conditionsOf({}), condition], limit);
  return found;
}

/**
 * Reads a session by its workflow's id. Returns an empty list if there is no such session. Does not use the index: a new session may not
 * be in the index yet, and some indexes cannot find an id with a quotation mark.
 */
async function readKey(client: Client, workflowId: string): Promise<readonly SessionSummary[]> {
  try {
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId },
    });
    const isSession = workflowExecutionInfo?.type?.name === WORKFLOW_TYPE;
    return isSession ? [await toWholeSummary(client, workflowExecutionInfo)] : [];
  } catch (error) {
    if (isAnswer(error, GRPC.NOT_FOUND)) return [];
    throw error;
  }
}

/** Returns the newest run of each key, newest first, at most 50. The page of a key shows that run. */
function distinct(found: readonly SessionSummary[]): readonly SessionSummary[] {
  const oldestFirst = [...found].sort(byNewest).reverse();
  const byKey = new Map(oldestFirst.map((summary) => [summary.key, summary]));
  return [...byKey.values()].sort(byNewest).slice(0, MAX_FOUND);
}
