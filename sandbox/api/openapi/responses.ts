import { STATUS_CODES } from 'node:http';
import type { Json } from './json-schema';
import { reference } from './schemas';
import { PROBLEM_TYPE } from '../../../web/problems';

/** Headers that an answer of a status always has. */
const HEADERS: Readonly<Record<number, string>> = {
  302: 'Location',
  303: 'Location',
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** A success with a body of a named schema. */
export function success(status: number, schema: string): Json {
  return { [status]: response(status, { 'application/json': { schema: reference(schema) } }) };
}

/** Problem details of each status (contract A70). */
export function problems(statuses: readonly number[]): Json {
  const content = { [PROBLEM_TYPE]: { schema: reference('ProblemDetails') } };
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, response(status, content)]));
}

/** HTML pages of each status, and JSON where a page has that form, too. */
export function pages(statuses: readonly number[], json?: Json): Json {
  const content = {
    'text/html': { schema: { type: 'string' } },
    ...(json !== undefined && { 'application/json': { schema: json } }),
  };
  return Object.fromEntries(statuses.map((status) => [status, response(status, content)]));
}

/** An answer without a body. */
export const empty = (status: number): Json => ({ [status]: response(status) });

function response(status: number, content?: Json): Json {
  const header = HEADERS[status];
  return {
    description: STATUS_CODES[status] ?? '',
    ...(header !== undefined && { headers: { [header]: { required: true, schema: { type: 'string' } } } }),
    ...(content !== undefined && { content }),
  };
}
