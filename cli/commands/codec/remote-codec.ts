import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { isPaysessionError } from '../../../src/errors';

/** Payloads as Temporal’s UI and command line send them: protobuf’s JSON, with bytes in base64. */
const base64 = z.string().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const requestSchema = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).default({}), data: base64.optional() }))
    .default([]),
});

interface JsonPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data?: string;
}

export interface CodecAnswer {
  readonly payloads: readonly JsonPayload[];
}

/** What a codec server does with payloads, whoever asks. */
export interface RemoteCodec {
  /** `undefined` for a body that holds no payloads. */
  decode(body: unknown): Promise<CodecAnswer | undefined>;
  encode(body: unknown): Promise<CodecAnswer | undefined>;
}

/**
 * @param onRefused gets why a payload was not decrypted. It goes back as it came, so that the others can be read.
 */
export function remoteCodec(
  codec: PayloadCodec,
  namespace: string,
  onRefused: (reason: string) => void,
): RemoteCodec {
  const context = { type: 'workflow', namespace, workflowId: '' } as const;
  const decodeOne = async (payload: Payload): Promise<Payload[]> => {
    try {
      return await codec.decode([payload], context);
    } catch (error) {
      if (!isPaysessionError(error)) throw error;
      onRefused(error.message);
      return [payload];
    }
  };
  return {
    decode: (body) => convert(body, async (payloads) => (await Promise.all(payloads.map(decodeOne))).flat()),
    encode: (body) => convert(body, (payloads) => codec.encode(payloads, context)),
  };
}

async function convert(
  body: unknown,
  through: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<CodecAnswer | undefined> {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const payloads = parsed.data.payloads.map(({ metadata, data }) => ({
    metadata,
    ...(data !== undefined && { data }),
  }));
  return { payloads: (await through(payloads)).map(toJson) };
}

function toJson({ metadata, data }: Payload): JsonPayload {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, toBase64(bytes)] as const);
  return { metadata: Object.fromEntries(texts), ...(data != null && { data: toBase64(data) }) };
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
