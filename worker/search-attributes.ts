import type { NativeConnection } from '@temporalio/worker';
import { attributeFaults, ensureAttributes } from '../src/settings/search-attributes';

/** The search attributes of payment sessions that the namespace lacks, or has with another type; none where the server cannot tell. */
export async function missingSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<string[]> {
  const { missing, mistyped } = await attributeFaults(connection, { namespace });
  return [...missing, ...mistyped.map(({ name }) => name)];
}

/**
 * Registers the search attributes that are missing: without them, the first
 * state change of a session would block its workflow. Throws `PaysessionError` `SEARCH_ATTRIBUTES_MISSING` where the namespace does not let us,
 * and `SEARCH_ATTRIBUTES_MISTYPED` where it has one with another type.
 */
export function ensureSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  return ensureAttributes(connection, { namespace });
}
