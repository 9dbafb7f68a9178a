import { isSessionId } from '../contract';
import { dropOldest } from '../contract/values/drop-oldest';
import { parsed, type Exchange, type RawExchange } from './http/exchange';
import {
  formsOf,
  isShort,
  normalised,
  placesOf,
  suspicionOf,
  wholes,
  type Form,
  type Range,
  readingsOf,
} from './secret-forms';
import { basicCredentials, type Credentials } from './http/headers';

/** The text that replaces a secret. */
export const REDACTED = '[redacted]';

/**
 * The number of remembered tokens. Old tokens are remembered, because the service may echo a token that is not used any more. A token is
 * valid for 599 s.
 */
const MAX_TOKENS = 16;
/** The maximum length of a kept text. Longer texts are cut, which limits the work of the search. */
const LONGEST_TEXT = 4_096;

/**
 * Removes an account's secrets from the service's answers, because parts of an answer are stored and shown. The secrets are the client
 * secret, the Basic credentials and the latest tokens.
 *
 * The redactor finds secrets in all usual encodings, even if only a part of the secret is there. Short secrets also occur in other texts
 * by chance. So secrets of 4 to 7 bytes are found only as whole words, and not in base64 or hex, and shorter secrets are not removed.
 */
export class Redactor {
  readonly #account: readonly Form[];
  readonly #tokens = new Map<string, readonly Form[]>();
  /** The forms of the account's secrets and of the remembered tokens. */
  #forms: readonly Form[];
  /** Matches every text that may contain a form or a piece of a form. It is a fast first check: few texts need the second, exact one. */
  #suspicion: RegExp;
  #revision = 0;

  constructor(account: Credentials) {
    this.#account = [account.clientSecret, basicCredentials(account).replace(/=+$/, '')].flatMap(formsOf);
    this.#forms = this.#account;
    this.#suspicion = suspicionOf(this.#forms);
  }

  /**
   * The revision of the known secrets. It changes with each new token. If it has changed, a text that was checked earlier must be checked
   * again.
   */
  get revision(): number {
    return this.#revision;
  }

  /** Treats a token as a secret from now on. */
  learn(token: string): void {
    this.#revision += 1;
    this.#tokens.delete(token);
    this.#tokens.set(token, formsOf(token));
    dropOldest(this.#tokens, MAX_TOKENS);
    this.#forms = [...this.#account, ...Array.from(this.#tokens.values()).flat()];
    this.#suspicion = suspicionOf(this.#forms);
  }

  /** Returns the exchange without secrets in its body. No other part of an exchange is stored as text. */
  exchange(exchange: RawExchange): Exchange {
    return parsed(exchange, (json) => this.json(json));
  }

  /** Returns a JSON value without secrets in its texts, keys and long numbers. Recurses, so the nesting of the value must be limited. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.#ranges(String(value), true).length > 0 ? REDACTED : value;
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(
      ([key, member]) => [this.text(key), this.json(member)] as const,
    );
    return Object.fromEntries(members);
  }

  /** Returns a text without secrets. A very long text is cut. */
  text(text: string): string {
    const read = text.slice(0, LONGEST_TEXT);
    const ranges = this.#ranges(read, isSessionId(read));
    if (ranges.length === 0) return read;
    let kept = '';
    let at = 0;
    for (const { start, end } of ranges.sort((one, other) => one.start - other.start)) {
      if (start >= at) kept += read.slice(at, start) + REDACTED;
      at = Math.max(at, end);
    }
    return kept + read.slice(at);
  }

  /**
   * Finds the places of the secrets. If `whole` is true, finds only whole, long secrets: ids and numbers may contain short secrets and
   * pieces of secrets by chance.
   */
  #ranges(text: string, whole: boolean): Range[] {
    const forms = whole ? this.#forms.filter((form) => !isShort(form)) : this.#forms;
    const find = whole ? wholes : placesOf;
    return readingsOf(text).flatMap(({ text: bytes, from, to }) => {
      const searched = normalised(bytes);
      if (!this.#suspicion.test(searched)) return [];
      return forms.flatMap((form) =>
        find(form, searched).map(({ start, end }) => ({
          start: from?.[start] ?? start,
          end: to?.[end - 1] ?? end,
        })),
      );
    });
  }
}
