import {
  context,
  createContextKey,
  SpanKind,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { PATH_TEMPLATES } from '../../src/contract';
import type { PollResult } from '../../src/protocol/activities';
import type { ExchangeTracer, ServiceAccount } from '../../src/service';
import { errorType, markFailed, spanIn, traceparentOf, word } from './span-helpers';
import type { PollTracer } from '../../activities/follow-session';

/** The polls that become spans. `changes`: polls that found a change, and polls that failed. `all`: all polls. */
export type TracedPolls = 'changes' | 'all';

type Begun = Parameters<ExchangeTracer['begin']>[0];
type Exchange = Parameters<ReturnType<ExchangeTracer['begin']>['end']>[0];

/**
 * An HTTP exchange that is part of a poll. Only when the poll has ended is it known if the poll becomes a span. Until then, the exchange
 * is kept without a span.
 */
interface PendingExchange extends Begun {
  readonly startTime: number;
  readonly endTime: number;
  readonly exchange: Exchange;
  readonly attributes: Attributes;
}

const PENDING = createContextKey('exchanges of a poll');
const SESSION = createContextKey('attributes of the polled session');

/** Returns a context in which spans of polls get these attributes. */
export const pollingContext = (here: Context, session: Attributes): Context =>
  here.setValue(SESSION, session);

/** Returns a tracer that makes spans of an account's HTTP exchanges with the payment service. */
export function exchangeTracing(
  tracer: Tracer,
  account: string,
  { baseUrl }: Pick<ServiceAccount, 'baseUrl'>,
): ExchangeTracer {
  const { hostname, port, protocol } = new URL(baseUrl);
  const shared = {
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'paysession.account': account,
  };
  return {
    begin: (begun) => {
      const here = context.active();
      const attributes = {
        ...shared,
        'http.request.method': begun.method,
        'url.template': PATH_TEMPLATES[begun.call],
      };
      const pending = here.getValue(PENDING) as PendingExchange[] | undefined;
      if (pending !== undefined) {
        const startTime = Date.now();
        return {
          traceparent: unrecorded(here),
          end: (exchange) => {
            pending.push({ ...begun, startTime, endTime: Date.now(), exchange, attributes });
          },
        };
      }
      const span = tracer.startSpan(spanName(begun), { kind: SpanKind.CLIENT, attributes }, here);
      const own = spanIn(trace.setSpan(here, span));
      return {
        traceparent: own && traceparentOf(own),
        end: (exchange) => {
          showExchange(span, exchange);
          span.end();
        },
      };
    },
  };
}

/** Returns a tracer that makes spans of polls. The spans are created after a poll has ended. */
export function pollTracing(tracer: Tracer, polls: TracedPolls): PollTracer {
  return async (poll, isWorthASpan) => {
    const here = context.active();
    const startTime = Date.now();
    const pending: PendingExchange[] = [];
    const makeSpan = (describe: (span: Span) => void): void => {
      const attributes = here.getValue(SESSION) as Attributes | undefined;
      const span = tracer.startSpan('poll', { startTime, ...(attributes && { attributes }) }, here);
      describe(span);
      showPending(tracer, trace.setSpan(here, span), pending);
      span.end();
    };
    try {
      const result = await context.with(here.setValue(PENDING, pending), poll);
      if (polls === 'all' || isWorthASpan(result) || pending.some(({ exchange }) => hasFailed(exchange))) {
        makeSpan((span) => {
          showResult(span, result);
        });
      }
      return result;
    } catch (error) {
      makeSpan((span) => {
        markFailed(span, errorType(error));
      });
      throw error;
    }
  };
}

function showPending(tracer: Tracer, parent: Context, pending: readonly PendingExchange[]): void {
  for (const { startTime, endTime, exchange, attributes, ...begun } of pending) {
    const options = { kind: SpanKind.CLIENT, startTime, attributes };
    const span = tracer.startSpan(spanName(begun), options, parent);
    showExchange(span, exchange);
    span.end(endTime);
  }
}

function showResult(span: Span, result: PollResult): void {
  span.setAttribute('paysession.outcome', result.outcome);
  if (result.outcome === 'failed') markFailed(span, result.failure.code);
  if (result.outcome !== 'seen') return;
  const { status, code } = result.snapshot;
  span.setAttribute('paysession.status', word(status));
  if (code !== undefined) span.setAttribute('paysession.code', word(code));
}

/** Returns the name of a span. It has a template of the path, because the real path has the session's id, which opens the payor's page. */
const spanName = ({ call, method }: Begun): string => `${method} ${PATH_TEMPLATES[call]}`;

function showExchange(span: Span, exchange: Exchange): void {
  if (exchange.kind === 'unanswered') {
    span.setAttribute('paysession.sent', exchange.sent);
    markFailed(span, exchange.reason);
    return;
  }
  span.setAttribute('http.response.status_code', exchange.status);
  if (hasFailed(exchange)) markFailed(span, String(exchange.status));
}

const hasFailed = (exchange: Exchange): boolean => exchange.kind === 'unanswered' || exchange.status >= 400;

/**
 * Returns the `traceparent` header for an exchange that may get no span. It has the id of the trace, and the flag that this part of the
 * trace is not recorded.
 */
function unrecorded(here: Context): string | undefined {
  const span = spanIn(here);
  return span === undefined ? undefined : traceparentOf({ ...span, traceFlags: TraceFlags.NONE });
}
