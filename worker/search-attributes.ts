import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { PaysessionError } from '../src/errors';
import { SEARCH_ATTRIBUTES } from '../src/protocol/names';

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2;

/** gRPC's status code of a call that the server does not have. */
const UNIMPLEMENTED = '12';

/**
 * The search attributes that the namespace lacks. Temporal's time-skipping test server cannot tell: whoever starts it
 * registers them.
 */
export async function missingSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService
    .listSearchAttributes({ namespace })
    .catch(orUnknown);
  if (customAttributes === undefined) return [];
  return Object.values(SEARCH_ATTRIBUTES).filter((name) => !Object.hasOwn(customAttributes, name));
}

function orUnknown(error: unknown): { readonly customAttributes: undefined } {
  if (isGrpcServiceError(error) && String(error.code) === UNIMPLEMENTED)
    return { customAttributes: undefined };
  throw error;
}

/**
 * Registers the search attributes that are missing: without them, the first state change of a session would block its
 * workflow. Throws `PaysessionError` `SEARCH_ATTRIBUTES_MISSING` where the namespace does not let us.
 */
export async function ensureSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  try {
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (cause) {
    const commands = missing.map(
      (name) =>
        `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type Keyword`,
    );
    throw new PaysessionError(
      'SEARCH_ATTRIBUTES_MISSING',
      `The namespace "${namespace}" lacks search attributes and does not allow the worker to add them. Run:\n  ${commands.join('\n  ')}`,
      { cause },
    );
  }
}
