import { defined, isRecord } from '../../contract/values/json';
import { explain, type ServiceErrorCode, type ServiceFailure } from '../../errors';
import {
  type Answer,
  type Exchange,
  type ServiceCall,
  type Unanswered,
  transportReason,
} from '../http/exchange';
import { answeredAtMs, LONGEST_RETRY_AFTER_MS, readRetryAfterMs } from '../http/headers';
import { readProblem } from './reading';

const CALLS: Record<ServiceCall, string> = {
  authorize: 'Getting an access token',
  create: 'Creating the session',
  details: 'Reading the session',
  cancel: 'Cancelling the session',
};

/** Options for reading a `Retry-After`. */
export interface WaitReading {
  /**
   * The current time in milliseconds since the epoch, with which a date in `Retry-After` is compared.
   * @default the answer's own `Date`; without it, the machine's clock
   */
  readonly nowMs?: number | undefined;
  /** The longest wait, in milliseconds. A longer wait is shortened to this. @default 900000 */
  readonly longestRetryAfterMs?: number;
}

/**
 * Returns the failure of an exchange. The status of the answer decides, even if the body is HTML, empty, cut off or too large (contract
 * rule A70, docs/contract.md). There are two exceptions. A 2xx answer is a failure only if its body is unreadable or unusable. If a token
 * request is answered with 400, the body is read too.
 */
export function failureOf(
  call: ServiceCall,
  exchange: Exchange,
  { nowMs, longestRetryAfterMs: longestMs = LONGEST_RETRY_AFTER_MS }: WaitReading = {},
): ServiceFailure {
  if (exchange.kind === 'unanswered') return unansweredFailure(call, exchange);
  return answerFailure(call, exchange, ({ 'retry-after': header, date }) =>
    readRetryAfterMs(header, { nowMs: nowMs ?? answeredAtMs(date), longestMs }),
  );
}

/**
 * Returns the failure of a call that was not sent because of an unexpected error. Of that error, it contains only the code or the name.
 */
export function notSent(call: ServiceCall, error: unknown): ServiceFailure {
  return unansweredFailure(call, { kind: 'unanswered', sent: false, reason: transportReason(error) });
}

/** Returns the failure of a call about a session whose id cannot be part of a URL. The service never issues such an id. */
export function impossibleSession(call: ServiceCall): ServiceFailure {
  return describe(
    call,
    'SERVICE_SESSION_UNKNOWN',
    'the session id cannot be part of a URL, so nothing was sent',
  );
}

/** Returns the failure of a call whose answer is about another session. Of the answer, it contains only the status. */
export function wrongSession(call: ServiceCall, { status }: Answer): ServiceFailure {
  return {
    ...describe(call, 'SERVICE_WRONG_SESSION', `the service answered ${status} about another session`),
    status,
  };
}

function unansweredFailure(call: ServiceCall, { sent, reason }: Unanswered): ServiceFailure {
  return sent
    ? describe(call, 'SERVICE_INTERRUPTED', `no answer came (${reason})`)
    : describe(call, 'SERVICE_UNREACHABLE', `nothing was sent (${reason})`);
}

function answerFailure(
  call: ServiceCall,
  answer: Answer,
  readWaitMs: (headers: Answer['headers']) => number | undefined,
): ServiceFailure {
  const { status, body, headers } = answer;
  const problem = body.state === 'complete' && status >= 400 ? readProblem(body.json) : undefined;
  const retryAfterMs = status === 429 || status === 503 ? readWaitMs(headers) : undefined;
  const failure = describe(call, answerCode(call, answer), answerEvent(answer));
  return defined({ ...failure, status, problem, retryAfterMs });
}

function answerCode(call: ServiceCall, answer: Answer): ServiceErrorCode {
  const { status, body } = answer;
  if (status < 300) return body.state === 'cut' ? 'SERVICE_INTERRUPTED' : 'SERVICE_UNREADABLE';
  if (status < 400 || status >= 500) return 'SERVICE_FAILED';
  if (call === 'authorize' && refusesCredentials(answer)) return 'SERVICE_CREDENTIALS_REJECTED';
  switch (status) {
    case 401:
      return 'SERVICE_TOKEN_REJECTED';
    case 403:
      return 'SERVICE_FORBIDDEN';
    case 404:
      return call === 'create' || call === 'authorize'
        ? 'SERVICE_REQUEST_REJECTED'
        : 'SERVICE_SESSION_UNKNOWN';
    case 408:
      return 'SERVICE_INTERRUPTED';
    case 429:
      return 'SERVICE_RATE_LIMITED';
    default:
      return 'SERVICE_REQUEST_REJECTED';
  }
}

/**
 * True for a 401 (contract A5), and for a 400 with OAuth's `invalid_client` (RFC 6749, 5.2). A 403 does not count, because a proxy may
 * have sent it.
 */
function refusesCredentials({ status, body }: Answer): boolean {
  if (status === 401) return true;
  const json = body.state === 'complete' ? body.json : undefined;
  return status === 400 && isRecord(json) && json['error'] === 'invalid_client';
}

function answerEvent({ status, body }: Answer): string {
  if (status >= 300 && status < 400) {
    return `the service answered ${status}: the base URL redirects, and redirects are never followed`;
  }
  if (status >= 300) return `the service answered ${status}`;
  switch (body.state) {
    case 'cut':
      return `the service answered ${status}, but its body was cut off (${body.reason})`;
    case 'tooLarge':
      return `the service answered ${status}, but its body is too large`;
    case 'coded':
      return `the service answered ${status}, but its body is in ${codingName(body.coding)}, which cannot be undone`;
    case 'complete':
      return `the service answered ${status}, but its body is not what the contract says`;
  }
}

const codingName = (coding: string | undefined): string =>
  coding === undefined ? 'an unknown content coding' : `the content coding ${coding}`;

function describe(call: ServiceCall, code: ServiceErrorCode, event: string): ServiceFailure {
  return { code, message: `${CALLS[call]} failed: ${event}. ${explain(code)}` };
}
