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

/** A call about a session, and the way to read its answer. */
export interface SessionQuestion extends WaitReading {
  readonly call: Extract<ServiceCall, 'details' | 'cancel'>;
  readonly sessionId: string;
  /** The payment that the answer must be about. If absent, only the session id is compared. */
  readonly expected?: ExpectedSession | undefined;
}

/** Reads an answer about one session. Throws `ServiceError` if no status can be read, or if the answer is about another session. */
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
 * The statuses of refusals that are about the session. All other refusals are about the client or the service, whatever their body says.
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

/** The inputs that a reading depends on, apart from the answer. */
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

/** The maximum number of sessions to remember: as many as a worker holds by default. */
const MAX_SESSIONS = 20_000;

/**
 * Remembers the reading of each session's last readable answer. Most polls bring the same bytes again. Parsing, redacting and reading them
 * costs more than all other work on an answer.
 */
export class LastAnswers {
  readonly #last = new Map<string, LastAnswer>();

  /** Returns the reading of an answer. `readAnew` reads an answer that differs from the remembered one; its errors are thrown. */
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
    dropOldest(this.#last, MAX_SESSIONS);
    return reading;
  }
}
