import { createHash } from 'node:crypto';
import type { ExpectedSession } from '../../contract';
import { dropOldest } from '../../contract/values/drop-oldest';
import type { RawExchange } from '../http/exchange';
import type { IdentifiedSession } from '../../protocol/activities';

/** What a reading depends on besides the answer. */
export interface ReadFor {
  readonly sessionId: string;
  readonly expected: ExpectedSession | undefined;
  /** Which secrets were known. */
  readonly secrets: number;
}

interface LastAnswer extends ReadFor {
  readonly status: number;
  readonly digest: string;
  readonly reading: IdentifiedSession;
}

/** As many as a worker keeps sessions in hand. */
const MOST = 20_000;

/**
 * What was read of the last answer about each session. Most polls bring the same bytes again: to parse, redact and read them costs
 * more than all else that a worker does with an answer.
 */
export class LastAnswers {
  readonly #last = new Map<string, LastAnswer>();

  /** What the answer says; `readAnew` reads it where it is another one. Throws what that throws. */
  read(exchange: RawExchange, readFor: ReadFor, readAnew: () => IdentifiedSession): IdentifiedSession {
    if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return readAnew();
    const { status, body } = exchange;
    const { sessionId, expected, secrets } = readFor;
    const digest = createHash('sha256').update(body.bytes).digest('base64url');
    const last = this.#last.get(sessionId);
    const isSame =
      last?.digest === digest &&
      last.status === status &&
      last.expected === expected &&
      last.secrets === secrets;
    if (isSame) return last.reading;
    const reading = readAnew();
    this.#last.delete(sessionId);
    this.#last.set(sessionId, { ...readFor, status, digest, reading });
    dropOldest(this.#last, MOST);
    return reading;
  }
}
