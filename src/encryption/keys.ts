import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SettingsError, PaysessionError } from '../errors';
import { isKeyId } from '../protocol/temporal/encrypted-payload';

/** The encryption keys for the data that Temporal stores, or for a ledger. */
export interface EncryptionKeys {
  /** The key that encrypts. */
  readonly current: EncryptionKey;
  /** Keys that only decrypt: former keys, and a new key until all programs have it. @default none */
  readonly earlier?: readonly EncryptionKey[];
}

/** An encryption key, with its id. */
export interface EncryptionKey {
  /**
   * The key's name: 1 to 64 letters, digits, dots, hyphens or underscores. The name is not secret, and is stored in plain text next to
   * the encrypted data.
   */
  readonly id: string;
  /** 32 random bytes, for AES-256. */
  readonly secret: Uint8Array;
}

/** The length of a key, in bytes. */
export const KEY_BYTES = 32;

const RULE = `must be ID:KEY, or several joined by commas or line breaks, each KEY ${KEY_BYTES} bytes in base64, for instance from \`paysession keys new\``;

const TWICE = 'must not use an id twice';

const WEAK = 'must be random, not one byte or a short pattern repeated: make one with `paysession keys new`';

/** Parses `ID:KEY,ID:KEY…`. The first key encrypts, and all keys decrypt. Error messages contain no key. */
export const encryptionKeysSchema = z.string().transform((text, context): EncryptionKeys => {
  const [current, ...earlier] = text
    .trim()
    .split(/,|\r?\n/)
    .map(parseKey);
  if (current === undefined || earlier.includes(undefined)) return refuse(context, RULE);
  const keys = { current, earlier: earlier.filter((key) => key !== undefined) };
  if (!hasDistinctIds(keys)) return refuse(context, TWICE);
  const weak = allKeys(keys).find(({ secret }) => isWeak(secret));
  return weak === undefined ? keys : refuse(context, `key ${weak.id} ${WEAK}`);
});

function parseKey(text: string): EncryptionKey | undefined {
  const [, id, base64] = /^\s*([^\s:]*):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(text) ?? [];
  if (id === undefined || base64 === undefined || !isKeyId(id)) return undefined;
  const secret = Buffer.from(base64, 'base64');
  return secret.length === KEY_BYTES ? { id, secret } : undefined;
}

/** Throws `SettingsError` if a key has the wrong length or is weak, or an id is malformed or used twice. */
function assertUsable(keys: EncryptionKeys): void {
  const failures = allKeys(keys).flatMap(({ id, secret }) => {
    const path = isKeyId(id) ? `encryption key ${id}` : 'encryption key';
    const broken = [
      ...(isKeyId(id) ? [] : ['must have an id of 1 to 64 letters, digits, dots, hyphens or underscores']),
      ...(secret.length === KEY_BYTES ? [] : [`must have ${KEY_BYTES} bytes`]),
      ...(secret.length === KEY_BYTES && isWeak(secret) ? [WEAK] : []),
    ];
    return broken.map((message) => ({ path, message }));
  });
  const twice = hasDistinctIds(keys) ? [] : [{ path: 'encryption keys', message: TWICE }];
  if (failures.length + twice.length > 0) throw new SettingsError([...failures, ...twice]);
}

export function allKeys({ current, earlier = [] }: EncryptionKeys): readonly EncryptionKey[] {
  return [current, ...earlier];
}

function hasDistinctIds(keys: EncryptionKeys): boolean {
  const ids = allKeys(keys).map(({ id }) => id);
  return new Set(ids).size === ids.length;
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** A random key has 30 different bytes on average. Only one in 10^25 random keys has fewer different bytes than this. */
const FEWEST_DIFFERENT_BYTES = 12;

/**
 * True if the key is clearly not random: it repeats one byte or a short pattern, or its bytes count up or down. The check does not detect
 * passwords.
 */
export function isWeak(secret: Uint8Array): boolean {
  if (new Set(secret).size < FEWEST_DIFFERENT_BYTES) return true;
  return repeats(secret) || repeats(steps(secret));
}

/** True if the bytes are a repeated pattern. */
function repeats(bytes: Uint8Array): boolean {
  const longest = Math.floor(bytes.length / 2);
  const lengths = Array.from({ length: longest }, (_, index) => index + 1);
  return lengths.some((length) => bytes.every((byte, at) => byte === bytes[at % length]));
}

/** Returns the differences between neighbouring bytes. They are equal if the bytes count up or down. */
function steps(bytes: Uint8Array): Uint8Array {
  return bytes.slice(1).map((byte, at) => byte - (bytes[at] ?? 0));
}

/**
 * A function that fetches the keys, for instance from a key management service. It has ten seconds to answer.
 *
 * It is called when keys are first needed. After that, its answer is used for five minutes. It may be called again after only ten seconds
 * if it has not returned any keys yet, or if data needs a key that it has not returned.
 *
 * @example
 * ```ts
 * const source: EncryptionKeySource = async () => ({ current: { id: '2031-05', secret: await fetchKey('2031-05') } });
 * const dataConverter = encryptedDataConverter(source);
 * ```
 */
export type EncryptionKeySource = () => Promise<EncryptionKeys>;

const FRESH_MS = 5 * 60_000;
const ASK_EVERY_MS = 10_000;
const LONGEST_WAIT_MS = 10_000;

/**
 * The available keys, which are given directly or fetched from a source. If the source fails or does not answer, the keys that it
 * returned last stay in use.
 */
export class KeyRing {
  readonly #source: EncryptionKeySource | undefined;
  #keys: EncryptionKeys | undefined;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;
  readonly #now: () => number;

  /** Throws `SettingsError` if a given key cannot be used. */
  constructor(keys: EncryptionKeys | EncryptionKeySource, now: () => number = () => performance.now()) {
    this.#now = now;
    if (typeof keys === 'function') {
      this.#source = keys;
    } else {
      assertUsable(keys);
      this.#keys = keys;
    }
  }

  /** Returns the key that encrypts. Throws `PaysessionError` `ENCRYPTION_KEY_MISSING` if the source has returned no usable keys yet. */
  async current(): Promise<EncryptionKey> {
    return (await this.keys()).current;
  }

  /** Returns the key with this id; `undefined` if there is none. Throws the same error as `current`. */
  async find(id: string): Promise<EncryptionKey | undefined> {
    const among = (keys: EncryptionKeys) => allKeys(keys).find((key) => key.id === id);
    return among(await this.keys()) ?? among(await this.keys(ASK_EVERY_MS));
  }

  /**
   * Returns the keys. If the source's last answer is older than `maxAgeMs`, asks the source again first. Throws the same error as
   * `current`.
   */
  async keys(maxAgeMs = FRESH_MS): Promise<EncryptionKeys> {
    if (this.#source !== undefined && this.#now() - this.#askedAt >= maxAgeMs) await this.#ask(this.#source);
    else await this.#asking;
    if (this.#keys === undefined) throw sourceFailed();
    return this.#keys;
  }

  /**
   * Asks the source for its keys. All waiting calls share one call of the source. If the source fails, it is not called again at once. If
   * there are no keys yet, it is called again after ten seconds.
   */
  #ask(source: EncryptionKeySource): Promise<void> {
    this.#asking ??= this.#fetch(source).finally(() => {
      this.#asking = undefined;
      this.#askedAt = this.#now() - (this.#keys === undefined ? FRESH_MS - ASK_EVERY_MS : 0);
    });
    return this.#asking;
  }

  async #fetch(source: EncryptionKeySource): Promise<void> {
    const late = new AbortController();
    try {
      const keys = await Promise.race([
        source(),
        sleep(LONGEST_WAIT_MS, undefined, { signal: late.signal, ref: false }),
      ]);
      if (keys === undefined) throw sourceFailed();
      assertUsable(keys);
      this.#keys = keys;
    } catch (cause) {
      if (this.#keys === undefined) throw sourceFailed(cause);
    } finally {
      late.abort();
    }
  }
}

const NO_KEYS = 'the source has returned no keys';

/**
 * Returns the error of a failed key source. The error always has a cause, by which `faultOfSession` recognizes that it concerns all
 * sessions.
 */
function sourceFailed(cause: unknown = new Error(NO_KEYS)): PaysessionError {
  return new PaysessionError(
    'ENCRYPTION_KEY_MISSING',
    'The key source returned no keys. Trying again in a few seconds.',
    { cause },
  );
}
