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
  /** The request's reference, redacted like the answer, so that the two can be compared. `null` if the request has none. */
  readonly referenceId: string | null;
  /** The request that was sent. Messages must not contain its personal values. */
  readonly request: SessionRequest;
  /** The session id in the answer, even if the rest of the answer could not be read. */
  readonly named: string | undefined;
}

/**
 * Returns the outcome of a create request. It depends only on the answer and on whether the request was sent, and not on the kind of
 * error.
 */
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

/** Adds the service's own words about a rejected request to the message, so that a reader can correct the request. */
function inItsWords(
  failure: ServiceFailure,
  outcome: FailedCreate['outcome'],
  request: SessionRequest,
): ServiceFailure {
  const said = outcome === 'rejected' ? saidOf(failure.problem, request) : undefined;
  return said === undefined ? failure : { ...failure, message: withSaid(failure.message, said) };
}

/** True if the id can be used. An id that contained a secret was redacted, and cannot be used. */
const isUsable = (sessionId: string): boolean => isPathSegment(sessionId) && !sessionId.includes(REDACTED);

/**
 * Returns the outcome of a create request that was not sent, because there was no token. A `ServiceError` always means that. Rethrows any
 * other error.
 */
export function createWithoutToken(error: unknown): FailedCreate {
  if (error instanceof ServiceError) return { outcome: 'notSent', failure: error.failure };
  throw error;
}

function failedOutcome(exchange: Exchange): FailedCreate['outcome'] {
  if (exchange.kind === 'unanswered') return exchange.sent ? 'unknown' : 'notSent';
  const { status } = exchange;
  // The service sends these answers before it acts on a request, so they prove that nothing was created.
  if (status === 401 || status === 429) return 'notSent';
  // A 408 may come from a proxy that did not wait any longer, while the service continued.
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'unknown';
}

/**
 * True if the answer has another reference than the request (contract rule A10, docs/contract.md), so it is about another payment. The
 * requested session may exist nevertheless.
 */
function echoesAnotherReference(
  created: { readonly referenceId: string | null },
  context: CreateContext,
): boolean {
  const echoed = created.referenceId;
  return echoed !== null && !isEchoOf(context.referenceId, echoed);
}
