import { isEchoOf, type SessionRequest } from '../../contract';
import { ServiceError, type ServiceFailure } from '../../errors';
import { successJson, type Exchange, isPathSegment } from '../http/exchange';
import { failureOf, wrongSession, type WaitReading } from './status-to-error';
import { readCreated } from './reading';
import { saidOf } from './service-words';
import { withSaid } from '../../errors/failures';
import type { CreateOutcome, FailedCreate } from '../../protocol/activities';
import { REDACTED } from '../redactor';

export interface CreateContext extends WaitReading {
  readonly checkoutUrl: (sessionId: string) => string;
  /** The reference of the request, redacted like the answer; `null` if it has none. */
  readonly referenceId: string | null;
  /** The request that was sent. Its personal values are kept out of messages. */
  readonly request: SessionRequest;
  /** The session that the answer names, whatever else the answer says. */
  readonly named: string | undefined;
}

/** Derives the outcome of a create request from how far the request got and from the answer, never from the kind of error. */
export function createOutcome(exchange: Exchange, context: CreateContext): CreateOutcome {
  const { checkoutUrl, named } = context;
  const created = readCreated(successJson(exchange));
  const isOfAnother = created !== undefined && echoesAnotherReference(created, context);
  if (created !== undefined && !isOfAnother && isUsable(created.sessionId)) {
    return { outcome: 'created', ...created, checkoutUrl: checkoutUrl(created.sessionId) };
  }
  const outcome = failedOutcome(exchange);
  const kept = created?.sessionId ?? named;
  return {
    outcome,
    failure:
      isOfAnother && exchange.kind === 'answered'
        ? wrongSession('create', exchange)
        : inItsWords(failureOf('create', exchange, context), outcome, context.request),
    ...(outcome === 'unknown' && kept !== undefined && isUsable(kept) && { sessionId: kept }),
  };
}

/** Adds the service's own words about a rejected request, so that the message's reader can correct it. */
function inItsWords(
  failure: ServiceFailure,
  outcome: FailedCreate['outcome'],
  request: SessionRequest,
): ServiceFailure {
  const said = outcome === 'rejected' ? saidOf(failure.problem, request) : undefined;
  return said === undefined ? failure : { ...failure, message: withSaid(failure.message, said) };
}

/** True if the id can name a session. An id that contained a secret was redacted. */
const isUsable = (sessionId: string): boolean => isPathSegment(sessionId) && !sessionId.includes(REDACTED);

/** Returns the outcome of a create request that got no token. Rethrows any other error: only a missing token throws a `ServiceError`. */
export function createWithoutToken(error: unknown): FailedCreate {
  if (error instanceof ServiceError) return { outcome: 'notSent', failure: error.failure };
  throw error;
}

function failedOutcome(exchange: Exchange): FailedCreate['outcome'] {
  if (exchange.kind === 'unanswered') return exchange.sent ? 'unknown' : 'notSent';
  const { status } = exchange;
  // The service gives these answers before it acts on a request, so they prove that nothing was created.
  if (status === 401 || status === 429) return 'notSent';
  // A 408 may come from a proxy that gave up on a service which continued.
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unknown';
}

/**
 * True if the answer echoes another reference (contract A10), so that it is about another payment. The requested session may exist anyway.
 */
function echoesAnotherReference(
  created: { readonly referenceId: string | null },
  context: CreateContext,
): boolean {
  const echoed = created.referenceId;
  return echoed !== null && !isEchoOf(context.referenceId, echoed);
}
