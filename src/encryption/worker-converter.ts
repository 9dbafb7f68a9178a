import { ApplicationFailure, type DataConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { isPaysessionError, type ErrorCode } from '../errors';
import { decodePayloads, encodePayloads, type CodecContext } from './codecs';
import { assertReadable } from './payload-codec';

const KEY_MISSING: ErrorCode = 'ENCRYPTION_KEY_MISSING';

/**
 * The converter as workers use it: what cannot be decrypted must not stop a session that can do without it.
 * `onUnreadable` is told why something could not be decrypted, each time.
 *
 * - What reaches a workflow stays encrypted, so that the workflow's own code decides: it passes over the arguments of a
 *   cancel, and waits for a key to its input.
 * - What reaches an activity, or comes back from one, fails with a passing `ENCRYPTION_KEY_MISSING`: another worker may
 *   have the key.
 * - What comes over Nexus fails for good: repetitions would close the endpoint to all callers.
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
