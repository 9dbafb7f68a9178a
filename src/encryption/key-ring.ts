import { setTimeout as sleep } from 'node:timers/promises';
import { PaysessionError } from '../errors';
import { allKeys, assertUsable, type EncryptionKey, type EncryptionKeys } from './keys';

/**
 * Fetches the keys, for instance from a key management service. It is asked before the first payload, every five minutes,
 * and when a payload names a key that is not among them, but at most every ten seconds, and has ten seconds to answer.
 */
export type EncryptionKeySource = () => Promise<EncryptionKeys>;

const FRESH_MS = 5 * 60_000;
const ASK_EVERY_MS = 10_000;
const LONGEST_WAIT_MS = 10_000;

/** The keys at hand: given ones, or those of a source, which go on being used while it does not answer. */
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

  /** The key that encrypts. Throws `PaysessionError` `ENCRYPTION_KEY_MISSING` while the source has given none. */
  async current(): Promise<EncryptionKey> {
    return (await this.keys()).current;
  }

  /** The key with an id, if there is one. */
  async find(id: string): Promise<EncryptionKey | undefined> {
    const among = (keys: EncryptionKeys) => allKeys(keys).find((key) => key.id === id);
    return among(await this.keys()) ?? among(await this.keys(ASK_EVERY_MS));
  }

  async keys(maxAgeMs = FRESH_MS): Promise<EncryptionKeys> {
    if (this.#source !== undefined && this.#now() - this.#askedAt >= maxAgeMs) await this.#ask(this.#source);
    else await this.#asking;
    if (this.#keys === undefined) throw sourceFailed();
    return this.#keys;
  }

  /** One question at a time, whoever waits for it. A failure counts as an answer: the source is not asked at once again. */
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

function sourceFailed(cause?: unknown): PaysessionError {
  return new PaysessionError(
    'ENCRYPTION_KEY_MISSING',
    'The key source returned no keys. Trying again in a few seconds.',
    { cause },
  );
}
