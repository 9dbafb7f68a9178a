import { createHmac } from 'node:crypto';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const ORIGIN = /^(https?:\/\/)[^/?#]+/i;
/** The URL of the payor's hosted page. Only its host and its session id can differ. */
const HOSTED_FLOW = /^(https?:\/\/[^/?#]+\/app\/\?sessionId=)(.*)$/i;

/**
 * Replaces texts by fakes of the same shape. A letter becomes another letter, a digit becomes another digit, and all other characters stay. A
 * URL gets the host `pay.example`, and an email address gets the domain `example.com`. With the same seed, the same text gets the same fake.
 * A reader without the seed cannot check a guess about the original text.
 */
export class Fakes {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  text(text: string): string {
    const [, page, sessionId] = HOSTED_FLOW.exec(text) ?? [];
    if (page !== undefined && sessionId !== undefined)
      return `${page.replace(ORIGIN, '$1pay.example')}${this.text(sessionId)}`;
    if (ORIGIN.test(text)) return `https://pay.example/${this.#shaped(text.replace(ORIGIN, '').slice(1))}`;
    if (text.includes('@')) return `${this.#shaped(text.slice(0, text.indexOf('@')))}@example.com`;
    return this.#shaped(text);
  }

  /** Returns a UUID as the fake of any text. So different texts have different fakes, even short texts. */
  id(text: string): string {
    return this.#uuid(
      this.#digest(text)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
    );
  }

  /** Returns the first eight digits of an id's fake. They depend only on the first eight digits of the id. */
  beginningOfId(digits: string): string {
    return this.#digest(digits.toLowerCase()).toString('hex').slice(0, 8);
  }

  /** Replaces letters, digits and ids. An id within a longer text gets the same fake as the id alone. */
  #shaped(text: string): string {
    let at = 0;
    let faked = '';
    for (const match of text.matchAll(UUID)) {
      faked += this.#letters(text.slice(at, match.index)) + this.#uuid(match[0]);
      at = match.index + match[0].length;
    }
    return faked + this.#letters(text.slice(at));
  }

  #uuid(uuid: string): string {
    const hex = this.beginningOfId(uuid.slice(0, 8)) + this.#digest(uuid.toLowerCase()).toString('hex');
    let next = 0;
    return uuid.replace(/[0-9a-f]/gi, (_digit, index: number) => (index === 14 ? '4' : (hex[next++] ?? '0')));
  }

  #letters(text: string): string {
    let bytes = this.#digest(text);
    let next = 0;
    const byte = () => {
      if (next === bytes.length) {
        bytes = this.#digest(bytes.toString('hex'));
        next = 0;
      }
      return bytes[next++] ?? 0;
    };
    const pick = (alphabet: string) => alphabet[byte() % alphabet.length] ?? '';
    return text.replace(/\p{N}|\p{Lu}|\p{L}/gu, (character) =>
      /\p{N}/u.test(character)
        ? pick('0123456789')
        : /\p{Lu}/u.test(character)
          ? pick('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
          : pick('abcdefghijklmnopqrstuvwxyz'),
    );
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#seed).update(text).digest();
  }
}
