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
 * Finds the sessions whose key, reference or id at the payment service is the text, or else those whose key or reference begins
 * with it: newest first, 50 at most. Of an id at the payment service, only the first eight characters are compared. The index holds no
 * more, because the whole id opens the payor's page. A reference may not be found if it begins with a question mark, an apostrophe, a
 * quotation mark, a backslash, a line break or a tab. Throws the errors of `toIndexError`.
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

/** Returns the beginning of an id, from the whole id or from the beginning that lists show; `undefined` for any other text. */
function shortIdOf(text: string): string | undefined {
  return /^[0-9a-f]{8}$/i.test(text) ? text.toLowerCase() : shortSessionId(text);
}

/** A text to search for: the attribute that holds it, and the same value in a session's summary. */
interface Wanted {
  readonly name: string;
  readonly text: string;
  readonly valueOf: (summary: SessionSummary) => string;
}

/** The maximum number of sessions to compare here with a text that Temporal's index cannot search for as it is. */
const MAX_COMPARED = 1_000;

/** Reads the sessions whose value is the text, or begins with it. */
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
 * Searches for a text that begins with a character that only some Temporal servers find. Finds nothing if the text has a question mark, on
 * which PostgreSQL fails.
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
 * Reads a session by its workflow's id, and not from the index: the session may not be there yet, and some indexes find no id with a
 * quotation mark. Returns an empty list if there is no such session.
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

/** Returns the newest run of each key, which the key's page shows: newest first, 50 at most. */
function distinct(found: readonly SessionSummary[]): readonly SessionSummary[] {
  const oldestFirst = [...found].sort(byNewest).reverse();
  const byKey = new Map(oldestFirst.map((summary) => [summary.key, summary]));
  return [...byKey.values()].sort(byNewest).slice(0, MAX_FOUND);
}
