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

/** Receives the reason and its code each time data must not be used. */
type UnreadableListener = (reason: string, code: PayloadRefusal) => void;

/**
 * Returns the data converter of a worker. Data that must not be used, for instance because the worker lacks its key, must not stop a
 * session that can do without the data. Each time, `onUnreadable` receives the reason and its code.
 *
 * - Data for a workflow stays unread, and its encoding names the reason, so that the workflow's own code decides. For instance, it
 *   ignores the argument of a cancel signal, and waits for the key to its input.
 * - Data for an activity, or from one, fails with the reason's code and is tried again, because another worker may have the key.
 * - Data that comes over Nexus fails for good, because retries would close the endpoint to all callers.
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

  /** Decodes payloads one by one, so that an unreadable one does not keep the others from being read. */
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

/** Returns the payload without its data, so that no code reads the data by mistake. The remaining metadata names the key. */
function refused({ metadata }: Payload, refusal: PayloadRefusal): Payload {
  return { metadata: { ...metadata, [METADATA_ENCODING_KEY]: Buffer.from(refusedEncoding(refusal)) } };
}

/**
 * A worker's encryption, as its identity announces it. The Temporal server lists the identity and names it in histories. Clients
 * read it so that they send no plain text where a worker refuses it. Commands read it to find keys that a worker lacks.
 */
export interface WorkerEncryption {
  /** True if the worker refuses plain text. */
  readonly required: boolean;
  /** The ids of the keys that the worker started with, beginning with the key that encrypts; empty if its data converter is not ours. */
  readonly keyIds: readonly string[];
  /** True if the worker may have more keys: an identity has room for a limited number. */
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
 * The maximum number of key ids in an identity, whose length the Temporal server bounds. The last ids, usually those of the oldest keys,
 * are left out.
 */
const MAX_KEY_IDS = 8;

/**
 * Returns the identity of a worker, which announces its ledger and its encryption.
 *
 * @param name distinguishes the worker from others, such as `<pid>@<host>`
 */
export function workerIdentity(name: string, { encryption, hasLedger = false }: WorkerFacts = {}): string {
  const named = `${name}${hasLedger ? ' with a ledger' : ''}`;
  if (encryption === undefined) return named;
  const ids = encryption.keyIds.slice(0, MAX_KEY_IDS).join(',');
  return `${named} encrypting${encryption.required ? ' always' : ''}${ids === '' ? '' : ` with ${ids}`}`;
}

/** Returns the part of an identity that distinguishes the worker from others. */
export function workerNameOf(identity: string): string {
  return IDENTITY.exec(identity)?.[1] ?? identity;
}

/** Returns the encryption that an identity announces; `undefined` for a worker that does not encrypt. */
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
