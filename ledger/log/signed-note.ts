/**
 * Writes, signs and reads checkpoints of the log. A checkpoint is a signed note, in the formats C2SP tlog-checkpoint and signed-note
 * (https://c2sp.org).
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { SettingsError } from '../../src/errors';

/** The content of a checkpoint. */
export interface Checkpoint {
  /** The name of the log. The signing key has the same name. */
  readonly origin: string;
  /** The number of entries in the log. */
  readonly size: number;
  /** The root hash of the log's Merkle tree, 32 bytes. */
  readonly root: Buffer;
}

/** Signs checkpoints. */
export interface CheckpointSigner {
  /** The name of the signing key and of the log. */
  readonly name: string;
  /** The public key that verifies the signatures, in the form `NAME+ID+KEY`. */
  readonly verifierKey: string;
  /** Returns the signature, 64 bytes. */
  sign(text: Buffer): Buffer;
}

const ED25519 = Buffer.from([1]);
const KEY_BYTES = 32;
const ID_BYTES = 4;
/** The bytes before the 32 bytes of an Ed25519 key in DER encoding. */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** True if a name is valid: 1 to 200 visible ASCII characters other than a plus sign. */
export const isOrigin = (name: string): boolean => /^[\x21-\x2a\x2c-\x7e]{1,200}$/.test(name);

/**
 * Creates a signing key for a log, as a text in the form `PRIVATE+KEY+NAME+ID+KEY`. Go's `note` package uses the same form.
 *
 * @param name 1 to 200 visible ASCII characters other than a plus sign
 * @throws {@link SettingsError} `INVALID_SETTINGS` if the name is invalid
 *
 * @example
 * ```ts
 * await writeFile('signing-key', newSigningKey('ledger.shop.example'), { mode: 0o600 });
 * ```
 */
export function newSigningKey(name: string): string {
  if (!isOrigin(name))
    throw new SettingsError([
      { path: 'name', message: 'must be 1 to 200 printable ASCII characters without spaces or plus signs' },
    ]);
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PRIVATE_DER.length);
  const id = keyId(name, publicBytes(createPublicKey(privateKey)));
  return `PRIVATE+KEY+${name}+${id.toString('hex')}+${Buffer.concat([ED25519, seed]).toString('base64')}`;
}

/**
 * Reads a signing key. Returns `undefined` if the text is not a signing key.
 *
 * @example
 * ```ts
 * const signer = readSigningKey(await readFile('signing-key', 'utf8'));
 * console.log(signer?.verifierKey); // publish this key
 * ```
 */
export function readSigningKey(text: string): CheckpointSigner | undefined {
  const [, name = '', id = '', base64 = ''] =
    /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (!isOrigin(name) || bytes.length !== KEY_BYTES + 1 || !bytes.subarray(0, 1).equals(ED25519))
    return undefined;
  const der = Buffer.concat([PRIVATE_DER, bytes.subarray(1)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const open = publicBytes(createPublicKey(key));
  if (keyId(name, open).toString('hex') !== id) return undefined;
  const verifierKey = `${name}+${id}+${Buffer.concat([ED25519, open]).toString('base64')}`;
  return { name, verifierKey, sign: (message) => sign(null, message, key) };
}

/** Writes and signs a checkpoint as a signed note. */
export function writeCheckpoint(
  { size, root }: Omit<Checkpoint, 'origin'>,
  signer: CheckpointSigner,
): string {
  const text = `${signer.name}\n${size}\n${root.toString('base64')}\n`;
  const [, id = ''] = signer.verifierKey.split('+');
  const signature = Buffer.concat([Buffer.from(id, 'hex'), signer.sign(Buffer.from(text))]);
  return `${text}\n— ${signer.name} ${signature.toString('base64')}\n`;
}

/** Reads the checkpoint in a note. Does not verify signatures. Returns `undefined` if the text is not a note with exactly one checkpoint. */
export function readCheckpoint(note: string): Checkpoint | undefined {
  const { text = '' } = partsOf(note) ?? {};
  // A checkpoint has no empty line (C2SP tlog-checkpoint). If there is one, the note has several checkpoints.
  if (text.includes('\n\n')) return undefined;
  const [origin = '', size = '', root = ''] = text.split('\n');
  const bytes = bytesOf(root);
  if (!isOrigin(origin) || !/^(0|[1-9]\d{0,14})$/.test(size) || bytes?.length !== 32) return undefined;
  return { origin, size: Number(size), root: bytes };
}

/** Matches a checkpoint in a text that may have several: origin, size, root, optional lines, a blank line, and signatures. */
const CHECKPOINT = /[^\n]+\n\d+\n[\w+/=]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+/g;

/** Splits a text into its checkpoints. Returns `undefined` if the text has no checkpoint, or has other content, too. */
export function checkpointsIn(text: string): readonly string[] | undefined {
  const notes = text.match(CHECKPOINT) ?? [];
  return notes.length > 0 && text.replace(CHECKPOINT, '').trim() === '' ? notes : undefined;
}

/**
 * True if a checkpoint is of the log that this verifier key names, and this key verifies a signature. Other keys' signatures do not count.
 */
export function isSignedBy(note: string, verifierKey: string): boolean {
  const key = readVerifierKey(verifierKey);
  const parts = partsOf(note);
  if (key === undefined || parts === undefined || readCheckpoint(note)?.origin !== key.name) return false;
  const { text, signatures } = parts;
  return signatures.split('\n').some((line) => {
    const [, name, base64 = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = bytesOf(base64);
    if (bytes === undefined || name !== key.name || !bytes.subarray(0, ID_BYTES).equals(key.id)) return false;
    return verify(null, Buffer.from(text), key.open, bytes.subarray(ID_BYTES));
  });
}

/** A key that verifies signatures. */
interface VerifierKey {
  readonly name: string;
  readonly id: Buffer;
  readonly open: KeyObject;
}

/** Reads a verifier key, `NAME+ID+KEY`. Returns `undefined` if the text is not a verifier key. */
export function readVerifierKey(text: string): VerifierKey | undefined {
  const [, name = '', id = '', base64 = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES + 1 || !bytes.subarray(0, 1).equals(ED25519)) return undefined;
  if (keyId(name, bytes.subarray(1)).toString('hex') !== id) return undefined;
  const der = Buffer.concat([PUBLIC_DER, bytes.subarray(1)]);
  const open = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return { name, id: Buffer.from(id, 'hex'), open };
}

/**
 * Splits a note at its last blank line into the signed text and the signature lines. Returns `undefined` if the text does not have this form.
 */
function partsOf(note: string): { readonly text: string; readonly signatures: string } | undefined {
  const end = note.lastIndexOf('\n\n');
  const signatures = note.slice(end + 2);
  if (end === -1 || !/^(?:— \S+ \S+\n)+$/.test(signatures)) return undefined;
  return { text: note.slice(0, end + 1), signatures };
}

/** Decodes base64. Returns `undefined` if the text is not exactly what an encoder would write. */
function bytesOf(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

const publicBytes = (key: KeyObject): Buffer =>
  key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);

/** Returns the id of a key. It distinguishes keys with the same name (C2SP signed-note). */
function keyId(name: string, open: Uint8Array): Buffer {
  const hash = createHash('sha256').update(`${name}\n`).update(ED25519).update(open).digest();
  return hash.subarray(0, ID_BYTES);
}
