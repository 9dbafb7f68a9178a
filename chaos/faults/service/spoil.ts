import { randomUUID } from 'node:crypto';
import type { HttpFault } from '../plan/http-faults';

/** An answer on its way to a worker. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The treatment of an answer. It is sent, perhaps with fewer bytes than its header says, the connection is reset, or no answer comes. */
export type Sending =
  | { readonly way: 'send'; readonly answer: HttpAnswer; readonly missingBytes?: number }
  | { readonly way: 'reset' }
  | { readonly way: 'hang' };

/** The faults with which a call never reaches the payment service. */
const UNPROCESSED: readonly HttpFault[] = [
  'resetBeforeRead',
  'hang',
  'status500',
  'status503RetryAfter',
  'status408',
  'limitSeconds',
  'limitDate',
  'limitAbsurd',
  'limitWithoutWait',
  'unauthorized',
  'echo',
  'redirect',
  'htmlPage',
  'notFound',
];

export const isForwarded = (fault: HttpFault | undefined): boolean =>
  fault === undefined || !UNPROCESSED.includes(fault);

/** The inputs of a faulty answer. */
export interface SpoilContext {
  /** The service's own answer. If the call was not forwarded, an empty answer. */
  readonly truth: HttpAnswer;
  /** The call's `Authorization` header. */
  readonly authorization: string;
  /** The target of redirects. No worker may follow a redirect. */
  readonly trap: string;
  readonly nowMs: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const DAY_MS = 86_400_000;
/** More bytes than a worker reads of an answer. */
const OVERSIZED_BYTES = 300_000;

/** Applies a fault to an answer. */
export function spoil(fault: HttpFault | undefined, context: SpoilContext): Sending {
  const { truth, authorization, trap, nowMs } = context;
  switch (fault) {
    case undefined:
    case 'slow':
    case 'refused':
      return { way: 'send', answer: truth };
    case 'resetBeforeRead':
    case 'resetAfterRead':
      return { way: 'reset' };
    case 'hang':
      return { way: 'hang' };
    case 'status500':
    case 'status500Processed':
      return problem(500);
    case 'status503RetryAfter':
      return problem(503, { 'retry-after': '1' });
    case 'status408':
      return problem(408);
    case 'limitSeconds':
      return problem(429, { 'retry-after': '1' });
    case 'limitDate':
      return problem(429, { 'retry-after': new Date(nowMs + 2_000).toUTCString() });
    case 'limitAbsurd':
      return problem(429, { 'retry-after': '99999999' });
    case 'limitWithoutWait':
      return problem(429);
    case 'malformed':
      return { way: 'send', answer: { ...truth, body: `${truth.body.slice(0, -1)},,}` } };
    case 'truncated':
      return { way: 'send', answer: { ...truth, body: truth.body.slice(0, truth.body.length / 2) } };
    case 'oversized':
      return changed(truth, { filler: 'x'.repeat(OVERSIZED_BYTES) });
    case 'deep':
      return { way: 'send', answer: { ...truth, body: '['.repeat(50_000) + ']'.repeat(50_000) } };
    case 'wrongLength':
      return { way: 'send', answer: truth, missingBytes: 10 };
    case 'unauthorized':
      return problem(401);
    case 'echo':
      return problem(
        500,
        {},
        `Authorization was ${authorization} ${base64(authorization)} ${token(authorization)}`,
      );
    case 'unknownStatus':
      return changed(truth, { status: 'Settling' });
    case 'unknownCode':
      return changed(truth, { statusDetails: 'EFT0199' });
    case 'missingCode':
      return changed(truth, { statusDetails: undefined });
    case 'backwardStatus':
      return changed(truth, { status: 'Initiated', statusDetails: 'EFT0101' });
    case 'wrongSession':
      return changed(truth, { sessionId: randomUUID(), status: 'Completed', statusDetails: 'EFT0301' });
    case 'skewedDate':
      return {
        way: 'send',
        answer: { ...truth, headers: { ...truth.headers, date: new Date(nowMs - DAY_MS).toUTCString() } },
      };
    case 'redirect':
      return { way: 'send', answer: { status: 307, headers: { location: trap }, body: '' } };
    case 'htmlPage':
      return {
        way: 'send',
        answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
      };
    case 'notFound':
      return problem(404);
  }
}

function problem(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  detail = 'It was ordered to fail.',
): Sending {
  const body = JSON.stringify({ title: 'Error', status, detail });
  return {
    way: 'send',
    answer: { status, headers: { ...headers, 'content-type': 'application/problem+json' }, body },
  };
}

function changed(truth: HttpAnswer, members: Readonly<Record<string, unknown>>): Sending {
  const body = { ...(JSON.parse(truth.body) as object), ...members };
  return { way: 'send', answer: { status: truth.status, headers: JSON_TYPE, body: JSON.stringify(body) } };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const token = (authorization: string): string => base64(authorization.split(' ').at(-1) ?? '');
