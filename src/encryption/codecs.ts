import type { Payload, PayloadCodec } from '@temporalio/common';

/** Where a payload comes from or goes to. */
export type CodecContext = Parameters<PayloadCodec['decode']>[1];

/** Through each codec, the first one first. */
export async function encodePayloads(
  codecs: readonly PayloadCodec[],
  payloads: Payload[],
  context?: CodecContext,
): Promise<Payload[]> {
  let encoded = payloads;
  for (const codec of codecs) encoded = await codec.encode(encoded, context);
  return encoded;
}

/** Through each codec, the last one first. */
export async function decodePayloads(
  codecs: readonly PayloadCodec[],
  payloads: Payload[],
  context?: CodecContext,
): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of [...codecs].reverse()) decoded = await codec.decode(decoded, context);
  return decoded;
}
