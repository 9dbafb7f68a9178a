import { createHash } from 'node:crypto';
import { isAnotherPayment, type ExpectedSession } from '../../contract';
import { ServiceError } from '../../errors';
import {
  successJson,
  type Answer,
  type Exchange,
  type ServiceCall,
  type RawExchange,
} from '../http/exchange';
import { failureOf, wrongSession, type WaitReading } from './status-to-error';
import { isAboutAnother, readIdentity, readSnapshot } from './reading';
import type { IdentifiedSession } from '../../protocol/activities';
import { dropOldest } from '../../contract/values/drop-oldest';

/** A call about a session, and the options for reading its answer. */
export interface SessionQuestion extends WaitReading {
  readonly call: Extract<ServiceCall, 'details' | 'cancel'>;
  readonly sessionId: string;
  /** The payment that the answer must be about. If absent, only the session id is compared. */
  readonly expected?: ExpectedSession | undefined;
}

/**
 * Reads an answer about one session. Throws `ServiceError` if the answer has no readable status, or is about another session or payment.
 */
export function readSessionAnswer(exchange: Exchange, question: SessionQuestion): IdentifiedSession {
  const { call } = question;
  if (exchange.kind === 'answered' && isOfAnotherSession(exchange, question)) {
    throw new ServiceError(wrongSession(call, exchange));
  }
  const body = successJson(exchange);
  const snapshot = readSnapshot(body);
  if (snapshot === undefined) throw new ServiceError(failureOf(call, exchange, question));
  return { snapshot, identity: readIdentity(body) };
}

/**
 * The statuses of refusals that concern the session. All other refusals concern the client or the service, so their bodies are not
 * compared with the session.
 */
const REFUSALS = [400, 404, 409, 410, 422];

function isOfAnotherSession({ status, body }: Answer, { sessionId, expected }: SessionQuestion): boolean {
  const json = body.state === 'complete' ? body.json : undefined;
  if (status >= 300) return REFUSALS.includes(status) && isAboutAnother(sessionId, json);
  return (
    isAboutAnother(sessionId, json) ||
    (expected !== undefined && isAnotherPayment(expected, readIdentity(json)))
  );
}

/** The inputs, besides the answer, on which a reading depends. */
interface ReadFor {
  readonly sessionId: string;
  readonly expected: ExpectedSession | undefined;
  /** The revision of the known secrets. */
  readonly secrets: number;
}

interface LastAnswer extends ReadFor {
  readonly status: number;
  readonly digest: string;
  readonly reading: IdentifiedSession;
}

/** The maximum number of remembered sessions. It equals the number of sessions that a worker holds by default. */
const MAX_SESSIONS = 20_000;

/**
 * A cache: remembers the last readable answer about each session, and its reading. Most polls bring the same bytes again. To parse, redact
 * and read them again would cost more than all other work on an answer.
 */
export class LastAnswers {
  readonly #last = new Map<string, LastAnswer>();

  /**
   * Returns the reading of an answer. If the answer differs from the remembered answer, calls `readNow`. Throws the errors of `readNow`.
   */
  read(exchange: RawExchange, readFor: ReadFor, readNow: () => IdentifiedSession): IdentifiedSession {
    if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return readNow();
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
    const reading = readNow();
    this.#last.delete(sessionId);
    this.#last.set(sessionId, { ...readFor, status, digest, reading });
    dropOldest(this.#last, MAX_SESSIONS);
    return reading;
  }
}
