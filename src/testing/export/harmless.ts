import { ERROR_CODES, isErrorCode } from '../../errors';
import { SEARCH_ATTRIBUTES } from '../../../workflows/protocol';

/**
 * Fields whose texts say nothing about a person, and that the workflow's course depends on. A text anywhere else is
 * replaced: a field that is new is faked until it is listed here.
 */
export const HARMLESS_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'direction', 'currency', 'language', 'mode', 'country', 'province'],
  ...['status', 'code', 'kind', 'outcome', 'source', 'phase', 'by', 'step'],
  ...['at', 'firstSeenAt', 'requestedAt', 'createdAt'],
  ...['account', 'onUnknownCreate', 'fastestPoll', 'slowestPoll', 'slowestUnsignedPoll'],
  ...['deadline', 'padSignatureDeadline'],
  ...[SEARCH_ATTRIBUTES.status, SEARCH_ATTRIBUTES.code, SEARCH_ATTRIBUTES.kind],
]);

const OWN_MEANINGS: ReadonlySet<string> = new Set(Object.values(ERROR_CODES).map(({ meaning }) => meaning));

/** Texts of our own, whatever field they are in. */
export function isOwnText(text: string): boolean {
  return text === '' || isErrorCode(text) || OWN_MEANINGS.has(text);
}
