import { isAnotherPayment, type ExpectedSession } from '../../contract';
import { ServiceError } from '../../errors';
import { successJson, type Answer, type Exchange, type ServiceCall } from '../http/exchange';
import { failureOf, wrongSession } from './failures';
import { isAboutAnother, readIdentity, readSnapshot } from './reading';
import type { IdentifiedSession } from '../../protocol/activities';

/** What was asked about a session, and how the answer is read. */
export interface SessionQuestion {
  readonly call: Extract<ServiceCall, 'details' | 'cancel' | 'status'>;
  readonly sessionId: string;
  /** If absent, only the session id is compared. */
  readonly expected?: ExpectedSession | undefined;
  readonly nowMs: number | undefined;
  readonly longestRetryAfterMs: number;
}

/** Reads an answer about one session. Throws `ServiceError`; an answer about another session is never believed. */
export function readSessionAnswer(exchange: Exchange, question: SessionQuestion): IdentifiedSession {
  const { call, nowMs, longestRetryAfterMs } = question;
  if (exchange.kind === 'answered' && isOfAnotherSession(exchange, question)) {
    throw new ServiceError(wrongSession(call, exchange));
  }
  const body = successJson(exchange);
  const snapshot = readSnapshot(body);
  if (snapshot === undefined) throw new ServiceError(failureOf(call, exchange, nowMs, longestRetryAfterMs));
  return { snapshot, identity: readIdentity(body) };
}

/** Refusals that are about the session; all others are about the client or the service, whatever their body says. */
const REFUSALS = [400, 404, 409, 410, 422];

function isOfAnotherSession({ status, body }: Answer, { sessionId, expected }: SessionQuestion): boolean {
  const json = body.state === 'complete' ? body.json : undefined;
  if (status >= 300) return REFUSALS.includes(status) && isAboutAnother(sessionId, json);
  return (
    isAboutAnother(sessionId, json) ||
    (expected !== undefined && isAnotherPayment(expected, readIdentity(json)))
  );
}
