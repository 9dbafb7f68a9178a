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
   * True if plain text is refused with `ENCRYPTION_REQUIRED`. Otherwise it is read, because sessions may be older than the keys.
   * @default false
   */
  readonly required?: boolean;
  /**
   * Other namespaces whose payloads are read. A workflow that runs payment sessions over Nexus needs the namespace of the sessions.
   * @default none
   */
  readonly namespaces?: readonly string[];
}

/**
 * Returns a data converter for a Temporal client or worker. It encrypts all payloads of a session, and the messages and stack traces of
 * failures, except failures about encryption. Names stay readable, such as the session's key (in the workflow id), its search attributes
 * and error codes.
 *
 * @param keys the keys, or a function that fetches them, for instance from a key management service
 * @throws {@link SettingsError} `INVALID_SETTINGS` if a given key has the wrong length or is weak, or its id is malformed or used twice
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

/** Returns the data converter of {@link encryptedDataConverter} for a key ring that other code may use, too. */
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
   * True if authentic data is used where it was meant to be. Data that a worker decodes without a context comes over Nexus, from any
   * namespace that Temporal lets call the endpoint. The worker's answer is encrypted without a context. Activities and payment sessions
   * take no data of another workflow. Other workflows do: the result of a Nexus operation is the result of the session's workflow.
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

/** The key, namespace and workflow that a payload is bound to. */
interface Bound {
  readonly key: string;
  readonly namespace: string | undefined;
  readonly workflowId: string | undefined;
}

/** Returns the bound values in the form of the metadata. A codec server knows no workflow and passes an empty id, which is left out. */
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

/** The details with which the Temporal server itself cancels an activity that no worker has started. */
const NOT_STARTED = '"ACTIVITY_ID_NOT_STARTED"';

/** True for these details. The Temporal server writes them into a history, and has no key to encrypt them. */
const isOfServer = ({ metadata, data }: Payload): boolean =>
  textOf(metadata?.[METADATA_ENCODING_KEY]) === 'json/plain' && textOf(data) === NOT_STARTED;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

/** The sender of the payload chose the id, so the message shows it only if it has the form of a key's id. */
function noKey(id: string): PaysessionError {
  const reason = isKeyId(id) ? `no key has the id "${id}"` : 'no key has its id';
  return refuse('ENCRYPTION_KEY_MISSING', `Stored data cannot be decrypted: ${reason}.`);
}

/** Returns the error for data that the key with this id, which is configured here, does not decrypt. */
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

/** AES-256-GCM as Temporal's own samples write it: the nonce first, the tag last. */
const CIPHER = 'aes-256-gcm';

const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/** Input of `encrypt` and `decrypt`. */
interface CipherInput {
  readonly secret: Uint8Array;
  readonly bytes: Uint8Array;
  /** Further data that the tag authenticates. */
  readonly authenticated?: Uint8Array | undefined;
}

export function encrypt({ secret, bytes, authenticated }: CipherInput): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  if (authenticated !== undefined) cipher.setAAD(authenticated);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the plain bytes, or `undefined` if the input was changed or not encrypted with this key. */
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

/** The workflow or activity that a payload comes from or goes to; `undefined` over Nexus. */
export type CodecContext = Parameters<PayloadCodec['decode']>[1];

/** Decodes payloads with each codec, the last one first. */
export async function decodePayloads(
  codecs: readonly PayloadCodec[],
  payloads: Payload[],
  context?: CodecContext,
): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of [...codecs].reverse()) decoded = await codec.decode(decoded, context);
  return decoded;
}
