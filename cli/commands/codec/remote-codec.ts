import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { isPaysessionError } from '../../../src/errors';

/** Payloads as Temporal’s UI and command line send them: protobuf’s JSON, with bytes in base64. */
const base64 = z.string().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const payloadSchema = z.object({
  metadata: z.record(z.string(), base64).default({}),
  data: base64.optional(),
});
const requestSchema = z.object({ payloads: z.array(z.unknown()).default([]) });

/** How many payloads are worked on at a stretch: others are served between these. */
const AT_A_STRETCH = 200;

interface JsonPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data?: string;
}

export interface CodecAnswer {
  readonly payloads: readonly JsonPayload[];
}

/** What a codec server does with payloads, whoever asks. */
export interface RemoteCodec {
  /** `undefined` for a body that holds no payloads. Rejects with the signal's reason once its caller is gone. */
  decode(body: unknown, gone?: AbortSignal): Promise<CodecAnswer | undefined>;
  encode(body: unknown, gone?: AbortSignal): Promise<CodecAnswer | undefined>;
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
    decode: (body, gone) =>
      convert(body, gone, async (payloads) => (await Promise.all(payloads.map(decodeOne))).flat()),
    encode: (body, gone) => convert(body, gone, (payloads) => codec.encode(payloads, context)),
  };
}

async function convert(
  body: unknown,
  gone: AbortSignal | undefined,
  through: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<CodecAnswer | undefined> {
  const request = requestSchema.safeParse(body);
  if (!request.success) return undefined;
  const { payloads } = request.data;
  const converted: JsonPayload[] = [];
  for (let at = 0; at < payloads.length; at += AT_A_STRETCH) {
    if (at > 0) await nextTurn();
    gone?.throwIfAborted();
    const some = z.array(payloadSchema).safeParse(payloads.slice(at, at + AT_A_STRETCH));
    if (!some.success) return undefined;
    converted.push(...(await through(some.data.map(toPayload))).map(toJson));
  }
  return { payloads: converted };
}

const toPayload = ({ metadata, data }: z.infer<typeof payloadSchema>): Payload => ({
  metadata,
  ...(data !== undefined && { data }),
});

function toJson({ metadata, data }: Payload): JsonPayload {
  const texts = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, toBase64(bytes)] as const);
  return { metadata: Object.fromEntries(texts), ...(data != null && { data: toBase64(data) }) };
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
