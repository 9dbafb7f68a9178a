import type { OutgoingRequest, RawExchange } from './exchange';

/** Is told of each exchange with the payment service, to make a span of it. */
export interface ExchangeTracer {
  /** An exchange begins, in the asynchronous context of whoever asked for it. */
  begin(request: Pick<OutgoingRequest, 'call' | 'method'>): TracedExchange;
}

/** One exchange that is traced. */
export interface TracedExchange {
  /** W3C's `traceparent` of the exchange, which the service may be sent. */
  readonly traceparent?: string | undefined;
  /** The exchange has ended. */
  end(exchange: RawExchange): void;
}

const UNTRACED: TracedExchange = { end: () => undefined };

/** What a tracer throws does not reach the call, whose outcome it would change. */
export function traceOf(
  tracer: ExchangeTracer | undefined,
  request: Pick<OutgoingRequest, 'call' | 'method'>,
): TracedExchange {
  if (tracer === undefined) return UNTRACED;
  try {
    const traced = tracer.begin(request);
    return {
      traceparent: traced.traceparent,
      end: (exchange) => {
        quietly(() => {
          traced.end(exchange);
        });
      },
    };
  } catch {
    return UNTRACED;
  }
}

function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A tracer's mistake is no failure of the service.
  }
}
