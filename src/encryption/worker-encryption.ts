import {
  ApplicationFailure,
  METADATA_ENCODING_KEY,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { isPaysessionError } from '../errors';
import { isRefusal, refusedEncoding, type PayloadRefusal } from '../protocol/temporal/encrypted-payload';
import { assertReadable, decodePayloads, type CodecContext } from './payload-codec';

/** Called with the reason and the error code each time a worker receives data that it must not use. */
type UnreadableListener = (reason: string, code: PayloadRefusal) => void;

/**
 * Returns the data converter of a worker. A worker may receive data that it must not use, for instance because it lacks the key. Such
 * data must not stop a session that can continue without the data. `onUnreadable` is called each time.
 *
 * - Data for a workflow is not decoded, and its encoding names the reason. The workflow's own code then decides. For instance, it
 *   ignores the argument of a cancel signal, but waits for the key of its input.
 * - For data of an activity, the call fails with the error code and is repeated, because another worker may have the key.
 * - For data that comes through Nexus, the call fails and is not repeated. Otherwise, the retries would close the endpoint to all
 *   callers.
 */
export function workerDataConverter(
  converter: DataConverter = {},
  onUnreadable: UnreadableListener = () => undefined,
): DataConverter {
  return { ...converter, payloadCodecs: [new WorkerCodec(converter.payloadCodecs ?? [], onUnreadable)] };
}

class WorkerCodec implements PayloadCodec {
  readonly #codecs: PayloadCodec[];
  readonly #onUnreadable: UnreadableListener;

  constructor(codecs: PayloadCodec[], onUnreadable: UnreadableListener) {
    this.#codecs = codecs;
    this.#onUnreadable = onUnreadable;
  }

  async encode(payloads: Payload[], context: CodecContext): Promise<Payload[]> {
    let encoded = payloads;
    for (const codec of this.#codecs) encoded = await codec.encode(encoded, context);
    return encoded;
  }

  /** Decodes payloads one by one, so that one unreadable payload does not affect the others. */
  async decode(payloads: Payload[], context: CodecContext): Promise<Payload[]> {
    const decoded = await Promise.all(payloads.map((payload) => this.#decodeOne(payload, context)));
    return decoded.flat();
  }

  async #decodeOne(payload: Payload, context: CodecContext): Promise<Payload[]> {
    try {
      const decoded = await decodePayloads(this.#codecs, [payload], context);
      decoded.forEach(assertReadable);
      return decoded;
    } catch (error) {
      if (!isPaysessionError(error) || !isRefusal(error.code)) throw error;
      const { code, message } = error;
      this.#onUnreadable(message, code);
      if (context?.type === 'workflow') return [refused(payload, code)];
      throw ApplicationFailure.create({ type: code, message, nonRetryable: context === undefined });
    }
  }
}

/** Returns the payload without its data, so that no code reads the data by mistake. The metadata still names the key. */
function refused({ metadata }: Payload, refusal: PayloadRefusal): Payload {
  return { metadata: { ...metadata, [METADATA_ENCODING_KEY]: Buffer.from(refusedEncoding(refusal)) } };
}

/**
 * A worker's encryption, as the worker's identity announces it. The Temporal server lists the identities of workers. Clients read them,
 * so that they send no plain text to workers that refuse it. Commands read them to find keys that a worker lacks.
 */
export interface WorkerEncryption {
  /** True if the worker refuses plain text. */
  readonly required: boolean;
  /** The ids of the keys with which the worker started. The first key encrypts. Empty if the worker has a data converter of its own. */
  readonly keyIds: readonly string[];
  /** True if the worker may have more keys, because an identity has room only for a few. */
  readonly mayHaveMore?: boolean;
}

/** The facts about a worker that its identity announces. */
interface WorkerFacts {
  readonly encryption?: WorkerEncryption | undefined;
  /** True if the worker claims keys in a ledger and records its sessions there. */
  readonly hasLedger?: boolean;
}

const IDENTITY = /^(.*?)( with a ledger)?( encrypting( always)?(?: with ([\w.,-]+))?)?$/;
/**
 * The maximum number of key ids in an identity, because the Temporal server limits the identity's length. The last ids, which usually
 * belong to the oldest keys, are left out.
 */
const MAX_KEY_IDS = 8;

/**
 * Returns the identity of a worker. It announces the worker's ledger and encryption.
 *
 * @param name the name that distinguishes the worker from others, such as `<pid>@<host>`
 */
export function workerIdentity(name: string, { encryption, hasLedger = false }: WorkerFacts = {}): string {
  const named = `${name}${hasLedger ? ' with a ledger' : ''}`;
  if (encryption === undefined) return named;
  const ids = encryption.keyIds.slice(0, MAX_KEY_IDS).join(',');
  return `${named} encrypting${encryption.required ? ' always' : ''}${ids === '' ? '' : ` with ${ids}`}`;
}

/** Returns the worker's name, which is the first part of its identity. */
export function workerNameOf(identity: string): string {
  return IDENTITY.exec(identity)?.[1] ?? identity;
}

/** Returns the encryption that an identity announces. `undefined` for a worker that does not encrypt. */
export function encryptionOf(identity: string): WorkerEncryption | undefined {
  const [, , , encrypting, always, ids] = IDENTITY.exec(identity) ?? [];
  if (encrypting === undefined) return undefined;
  const keyIds = ids?.split(',') ?? [];
  return {
    required: always !== undefined,
    keyIds,
    ...(keyIds.length >= MAX_KEY_IDS && { mayHaveMore: true }),
  };
}

/** True if an identity announces a ledger. */
export const announcesLedger = (identity: string): boolean => IDENTITY.exec(identity)?.[2] !== undefined;
