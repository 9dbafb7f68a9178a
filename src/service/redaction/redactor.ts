import { isSessionId } from '../../contract';
import { basicCredentials, type Credentials } from '../basic-credentials';
import type { Exchange } from '../exchange';
import { formsOf, normalised, placesOf, wholes, type Form, type Range } from './forms';
import { readingsOf } from './unescape';

/** What stands in place of a secret. */
export const REDACTED = '[redacted]';

/** A service may still echo tokens that are no longer used; each lives ten minutes. */
const MAX_TOKENS = 16;

/**
 * Takes an account's own secrets out of whatever the service answers, since much of it is kept: the client secret, the
 * Basic credentials and the tokens, in every usual encoding and also where they are cut. Secrets of 4 to 7 characters are
 * found as they are and as whole words only; shorter ones cannot be told from other texts and are left.
 */
export class Redactor {
  readonly #account: readonly Form[];
  readonly #tokens = new Map<string, readonly Form[]>();

  constructor(account: Credentials) {
    this.#account = [account.clientSecret, basicCredentials(account).replace(/=+$/, '')].flatMap(formsOf);
  }

  /** Takes a token for a secret from now on. */
  learn(token: string): void {
    this.#tokens.delete(token);
    this.#tokens.set(token, formsOf(token));
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** The exchange without secrets in its body; nothing else of it is kept as text. */
  exchange(exchange: Exchange): Exchange {
    if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return exchange;
    return { ...exchange, body: { ...exchange.body, json: this.json(exchange.body.json) } };
  }

  /** A JSON value without secrets, in its texts, keys and long numbers. Its nesting must be bounded. */
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

  text(text: string): string {
    const ranges = this.#ranges(text, isSessionId(text)).sort((one, other) => one.start - other.start);
    let kept = '';
    let at = 0;
    for (const { start, end } of ranges) {
      if (start >= at) kept += text.slice(at, start) + REDACTED;
      at = Math.max(at, end);
    }
    return kept + text.slice(at);
  }

  /** `whole`: pieces do not count, nor short secrets, for ids and numbers may hold them by chance. */
  #ranges(text: string, whole: boolean): Range[] {
    const forms = [...this.#account, ...Array.from(this.#tokens.values()).flat()];
    const wanted = whole ? forms.filter((form) => form.text.length >= form.piece) : forms;
    const ranges: Range[] = [];
    for (const { text: bytes, from, to } of readingsOf(text)) {
      const searched = normalised(bytes);
      for (const form of wanted) {
        for (const { start, end } of whole ? wholes(form, searched) : placesOf(form, searched)) {
          ranges.push({ start: from[start] ?? 0, end: to[end - 1] ?? 0 });
        }
      }
    }
    return ranges;
  }
}
