import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { everythingIn } from '../../../test/support/everything-in';
import { decodePayloads } from '../../../src/encryption/payload-codec';

/** Returns all bytes and texts of a history's payloads, decrypted. */
export async function decodedBytes(history: unknown, { options }: Client): Promise<Buffer> {
  const { payloadCodecs } = options.loadedDataConverter;
  const decoded = await Promise.all(
    payloadsIn(history).map(async (payload) => {
      try {
        return await decodePayloads(payloadCodecs, [payload]);
      } catch {
        // The campaign has sent an unreadable payload on purpose.
        return [payload];
      }
    }),
  );
  return Buffer.from(everythingIn(decoded), 'latin1');
}

function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if ('metadata' in value && 'data' in value) return [value as Payload];
  return Object.values(value).flatMap(payloadsIn);
}
