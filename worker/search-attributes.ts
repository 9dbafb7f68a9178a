import type { NativeConnection } from '@temporalio/worker';
import { PaysessionError } from '../src/errors';
import { addAttributes, attributeType, missingAttributes } from '../src/settings/search-attributes';

/** The search attributes of payment sessions that the namespace lacks, or has with another type; none where the server cannot tell. */
export function missingSearchAttributes(connection: NativeConnection, namespace: string): Promise<string[]> {
  return missingAttributes(connection, { namespace });
}

/**
 * Registers the search attributes that are missing, also those that an older worker did not know: without them, the first
 * state change of a session would block its workflow. Throws `PaysessionError` `SEARCH_ATTRIBUTES_MISSING` where the namespace does not let us.
 */
export async function ensureSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const names = await missingSearchAttributes(connection, namespace);
  if (names.length === 0) return;
  try {
    await addAttributes(connection, { namespace, names });
  } catch (cause) {
    // Another worker that starts may have been faster.
    const missing = await missingSearchAttributes(connection, namespace);
    if (missing.length === 0) return;
    const commands = missing.map(
      (name) =>
        `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${attributeType(name)}`,
    );
    throw new PaysessionError(
      'SEARCH_ATTRIBUTES_MISSING',
      `The namespace "${namespace}" lacks search attributes, or has them with another type, and does not allow the worker to add them. Run:\n  ${commands.join('\n  ')}`,
      { cause },
    );
  }
}
