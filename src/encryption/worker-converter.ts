import { ApplicationFailure, type DataConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { isPaysessionError, type ErrorCode } from '../errors';
import { decodePayloads, encodePayloads, type CodecContext } from './codecs';
import { assertReadable } from './payload-codec';

const KEY_MISSING: ErrorCode = 'ENCRYPTION_KEY_MISSING';

/**
 * The converter for workers. Data that cannot be decrypted must not stop a session that can do without it. Each time,
 * `onUnreadable` gets the reason.
 *
 * - Data for a workflow stays encrypted, so that the workflow's own code decides: it ignores the arguments of a cancel, and
 *   waits for the key to its input.
 * - Data for an activity, or from one, fails with `ENCRYPTION_KEY_MISSING` and is tried again: another worker may have the
 *   key.
 * - Data that comes over Nexus fails for good: retries would close the endpoint to all callers.
 */
export function workerDataConverter(
  converter: DataConverter = {},
  onUnreadable: (reason: string) => void = () => undefined,
): DataConverter {
  return { ...converter, payloadCodecs: [new WorkerCodec(converter.payloadCodecs ?? [], onUnreadable)] };
}

class WorkerCodec implements PayloadCodec {
  constructor(
    private readonly codecs: PayloadCodec[],
    private readonly onUnreadable: (reason: string) => void,
  ) {}

  encode(payloads: Payload[], context: CodecContext): Promise<Payload[]> {
    return encodePayloads(this.codecs, payloads, context);
  }

  /** One by one: what cannot be decrypted keeps nothing else from being read. */
  async decode(payloads: Payload[], context: CodecContext): Promise<Payload[]> {
    const decoded = await Promise.all(payloads.map((payload) => this.#decodeOne(payload, context)));
    return decoded.flat();
  }

  async #decodeOne(payload: Payload, context: CodecContext): Promise<Payload[]> {
    try {
      const decoded = await decodePayloads(this.codecs, [payload], context);
      decoded.forEach(assertReadable);
      return decoded;
    } catch (error) {
      if (!isPaysessionError(error, KEY_MISSING)) throw error;
      const { message } = error;
      this.onUnreadable(message);
      if (context?.type === 'workflow') return [payload];
      throw ApplicationFailure.create({ type: KEY_MISSING, message, nonRetryable: context === undefined });
    }
  }
}
