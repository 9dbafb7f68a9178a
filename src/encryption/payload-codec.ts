import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  type DataConverter,
  METADATA_ENCODING_KEY,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import {
  AUTHENTICATED,
  ENCRYPTED_ENCODING,
  isKeyId,
  KEY_ID,
  type PayloadRefusal,
} from '../protocol/temporal/encrypted-payload';
import { PaysessionError, withRemedy } from '../errors';
import { keyOfWorkflow } from '../protocol/names';
import { type EncryptionKeys, type EncryptionKeySource, KeyRing } from './keys';

/** Options of {@link encryptedDataConverter}. */
export interface EncryptionOptions {
  /**
   * True if plain text is refused with the error `ENCRYPTION_REQUIRED`. By default, plain text is read, because some sessions may be
   * older than the keys.
   * @default false
   */
  readonly required?: boolean;
  /**
   * Other namespaces whose encrypted data is accepted. If a workflow runs payment sessions through Nexus, name the namespace of the
   * sessions here.
   * @default none
   */
  readonly namespaces?: readonly string[];
}

/**
 * Returns a data converter for a Temporal client or worker. It encrypts all payloads of a session, and the messages and stack traces of
 * failures. Failures about encryption stay readable. So do the session's key (in the workflow id), search attributes and error codes.
 *
 * @param keys the keys, or a function that fetches them, for instance from a key management service
 * @throws {@link SettingsError} `INVALID_SETTINGS` if a given key has the wrong length or is weak, or if an id is malformed or used
 * twice
 *
 * @example
 * ```ts
 * const secret = Buffer.from(process.env['PAYMENT_KEY'] ?? '', 'base64'); // 32 bytes
 * const dataConverter = encryptedDataConverter({ current: { id: '2031-05', secret } });
 * const client = new Client({ connection: await Connection.connect(), dataConverter });
 * ```
 */
export function encryptedDataConverter(
  keys: EncryptionKeys | EncryptionKeySource,
  options: EncryptionOptions = {},
): DataConverter {
  return converterOfRing(new KeyRing(keys), options);
}

/** As {@link encryptedDataConverter}, for a key ring that other code also uses. */
export function converterOfRing(keys: KeyRing, options: EncryptionOptions = {}): DataConverter {
  return {
    payloadCodecs: [new EncryptionCodec(keys, options)],
    failureConverterPath: require.resolve('./failure-converter'),
  };
}

class EncryptionCodec implements PayloadCodec {
  readonly #keys: KeyRing;
  readonly #options: EncryptionOptions;

  constructor(keys: KeyRing, options: EncryptionOptions) {
    this.#keys = keys;
    this.#options = options;
  }

  async encode(payloads: Payload[], context?: CodecContext): Promise<Payload[]> {
    const { id, secret } = await this.#keys.current();
    const aad = authenticated({ key: id, namespace: context?.namespace, workflowId: context?.workflowId });
    return payloads.map((payload) => ({
      metadata: {
        [METADATA_ENCODING_KEY]: Buffer.from(ENCRYPTED_ENCODING),
        [KEY_ID]: Buffer.from(id),
        [AUTHENTICATED]: aad,
      },
      data: encrypt({ secret, bytes: PayloadProto.encode(payload).finish(), authenticated: aad }),
    }));
  }

  async decode(payloads: Payload[], context?: CodecContext): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.#decodeOne(payload, context)));
  }

  async #decodeOne(payload: Payload, context: CodecContext): Promise<Payload> {
    if (isEncrypted(payload)) return this.#decrypt(payload, context);
    if (this.#options.required === true && !isOfServer(payload)) throw plainText();
    return payload;
  }

  async #decrypt({ metadata, data }: Payload, context: CodecContext): Promise<Payload> {
    const id = textOf(metadata?.[KEY_ID]);
    const key = await this.#keys.find(id);
    if (key === undefined) throw noKey(id);
    const aad = metadata?.[AUTHENTICATED] ?? undefined;
    const plain = decrypt({
      secret: key.secret,
      bytes: data ?? new Uint8Array(),
      authenticated: aad,
    });
    if (plain === undefined) throw changed(id);
    if (aad !== undefined && !this.#belongs(aad, id, context)) throw fromElsewhere();
    return PayloadProto.decode(plain);
  }

  /**
   * True if decrypted data may be used in this place. Each payload is bound to the namespace and the workflow that it was encrypted
   * for, so data cannot be copied from one session to another. There are exceptions:
   * - Data without a context comes through Nexus, and may come from any namespace.
   * - Activities and payment sessions accept only data of their own workflow. Other workflows also accept data of another workflow,
   *   because the result of a Nexus operation is the result of the session's workflow.
   * - Data that was encrypted without a context, such as a worker's answer through Nexus, is accepted.
   */
  #belongs(aad: Uint8Array, key: string, context: CodecContext): boolean {
    if (context === undefined) return true;
    const { namespace, workflowId } = context;
    const given = Buffer.from(aad);
    const bound = boundTo(aad);
    const takesOthers = context.type === 'workflow' && keyOfWorkflow(context.workflowId) === undefined;
    const ids = [undefined, workflowId, ...(takesOthers ? [bound?.workflowId] : [])];
    return [undefined, namespace, ...(this.#options.namespaces ?? [])].some((one) =>
      ids.some((id) => given.equals(authenticated({ key, namespace: one, workflowId: id }))),
    );
  }
}

const PayloadProto = temporal.api.common.v1.Payload;

/** The key, the namespace and the workflow to which a payload is bound. */
interface Bound {
  readonly key: string;
  readonly namespace: string | undefined;
  readonly workflowId: string | undefined;
}

/**
 * Returns the bound values as bytes, as they are authenticated. An empty workflow id is left out: codec servers pass it, because they
 * do not know the workflow.
 */
const authenticated = ({ key, namespace, workflowId }: Bound): Buffer =>
  Buffer.from(JSON.stringify({ key, namespace, ...(workflowId !== '' && { workflowId }) }));

function boundTo(aad: Uint8Array): Partial<Bound> | undefined {
  try {
    return JSON.parse(Buffer.from(aad).toString()) as Partial<Bound>;
  } catch {
    return undefined;
  }
}

/** Throws `PaysessionError` `ENCRYPTION_KEY_MISSING` for a payload that is still encrypted. */
export function assertReadable(payload: Payload): void {
  if (isEncrypted(payload)) throw noKey(textOf(payload.metadata?.[KEY_ID]));
}

const isEncrypted = ({ metadata }: Payload): boolean =>
  textOf(metadata?.[METADATA_ENCODING_KEY]) === ENCRYPTED_ENCODING;

/** The details that the Temporal server itself writes if it cancels an activity that no worker has started. */
const NOT_STARTED = '"ACTIVITY_ID_NOT_STARTED"';

/** True for details that the Temporal server itself has written. They are never encrypted, because the server has no key. */
const isOfServer = ({ metadata, data }: Payload): boolean =>
  textOf(metadata?.[METADATA_ENCODING_KEY]) === 'json/plain' && textOf(data) === NOT_STARTED;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

/**
 * Returns the error for data whose key is missing. The sender chose the key's id, so the message shows the id only if it has the usual
 * form.
 */
function noKey(id: string): PaysessionError {
  const reason = isKeyId(id) ? `no key has the id "${id}"` : 'no key has its id';
  return refuse('ENCRYPTION_KEY_MISSING', `Stored data cannot be decrypted: ${reason}.`);
}

/** Returns the error for data that the configured key with this id cannot decrypt. */
function changed(id: string): PaysessionError {
  const reason = `it was changed after it was encrypted, or the key "${id}" is not the one that encrypted it`;
  return refuse('ENCRYPTION_TAMPERED', `Stored data was rejected: ${reason}.`);
}

function fromElsewhere(): PaysessionError {
  return refuse(
    'ENCRYPTION_TAMPERED',
    'Stored data was rejected: it was encrypted for another session or namespace.',
  );
}

function plainText(): PaysessionError {
  return refuse('ENCRYPTION_REQUIRED', 'Stored data was rejected: it is in plain text.');
}

function refuse(code: PayloadRefusal, message: string): PaysessionError {
  return new PaysessionError(code, withRemedy(code, message));
}

/** AES-256-GCM. As in Temporal's own samples, the nonce comes first and the tag last. */
const CIPHER = 'aes-256-gcm';

const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/** Input of `encrypt` and `decrypt`. */
interface CipherInput {
  readonly secret: Uint8Array;
  readonly bytes: Uint8Array;
  /** Additional data that the tag authenticates. */
  readonly authenticated?: Uint8Array | undefined;
}

export function encrypt({ secret, bytes, authenticated }: CipherInput): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  if (authenticated !== undefined) cipher.setAAD(authenticated);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the plain bytes. Returns `undefined` if the input was changed, or was not encrypted with this key. */
export function decrypt({ secret, bytes, authenticated }: CipherInput): Uint8Array | undefined {
  const tagAt = bytes.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(tagAt));
  if (authenticated !== undefined) decipher.setAAD(authenticated);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The workflow or activity to which a payload belongs. `undefined` for data that comes through Nexus. */
export type CodecContext = Parameters<PayloadCodec['decode']>[1];

/** Decodes payloads with all codecs, in reverse order. */
export async function decodePayloads(
  codecs: readonly PayloadCodec[],
  payloads: Payload[],
  context?: CodecContext,
): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of [...codecs].reverse()) decoded = await codec.decode(decoded, context);
  return decoded;
}
