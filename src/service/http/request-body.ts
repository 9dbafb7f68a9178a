import { isNestedTooDeeply, MAX_JSON_DEPTH, type SessionRequest } from '../../contract';
import { InvalidRequestError } from '../../errors';

/**
 * A creation request as JSON text. Throws `InvalidRequestError` for one that can never be sent: it is cyclic, is not JSON,
 * or is nested too deeply.
 */
export function requestBody(request: SessionRequest): string {
  const body = writtenJson(request);
  if (body === undefined) throw invalid('must be JSON, without cycles');
  if (isNestedTooDeeply(body)) throw invalid(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
  return body;
}

/** `JSON.stringify` throws for cycles and for values that JSON lacks, overflows on deep ones, and may give `undefined`. */
function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const invalid = (message: string) => new InvalidRequestError([{ path: 'request', message }]);
