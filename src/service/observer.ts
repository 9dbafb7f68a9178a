import type { RawExchange, ServiceCall } from './http/exchange';
import type { CallKind, Pause } from './pace/pace';

/**
 * The end of one exchange (a request and its answer) with the service. If there was an answer, it is the class of the HTTP status; `429`
 * is separate from `4xx`. Otherwise:
 * - `unreachable`: nothing was sent.
 * - `interrupted`: the request was sent, but no answer came, or only a part of a 2xx answer.
 * - `aborted`: the client stopped the exchange before its time was over.
 */
export type CallClass = '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'unreachable' | 'interrupted' | 'aborted';

/** The end of a call's wait for its turn. The worker limits the rate of its calls, so each call waits until it may be sent. */
interface CallTurn {
  readonly account: string;
  readonly call: CallKind;
  readonly waitedMs: number;
  /** True if calls of this kind are paused. A single call that is sent during a pause shows whether the service answers again. */
  readonly isPaused: boolean;
}

/** The events of a client of the payment service. They contain no data of sessions or payors, and no secrets. */
export interface ServiceEvents {
  /** An exchange has ended. A retry after a 401 is a separate exchange. */
  readonly callEnded: {
    readonly account: string;
    readonly call: ServiceCall;
    readonly class: CallClass;
    /** The time from getting a connection slot to the end of the exchange, in milliseconds. */
    readonly ms: number;
    /** The transport's error, such as `ECONNREFUSED`, or the code of the client's stop. Absent if `class` comes from a status. */
    readonly reason?: string;
  };
  /** A call got its turn, and is sent now. */
  readonly turnTaken: CallTurn;
  /**
   * A call was turned away, at once or after it had waited for its turn. Nothing was sent. The call may ask for a turn again after
   * `retryAfterMs`.
   */
  readonly turnedAway: CallTurn & { readonly retryAfterMs: number };
  /**
   * The account's create requests, its polls or both are now paused. If the pause is extended, it is reported again only if its cause or
   * the paused calls change. If a rate limit is reached again within a minute, this is not reported.
   */
  readonly paused: Pause & { readonly account: string };
  /** The paused calls continue. */
  readonly resumed: { readonly account: string };
  /** The service refused the account's credentials. If it continues to refuse them, the client requests tokens less and less often. */
  readonly credentialsRefused: { readonly account: string };
  /** The service issued a token. The exchange for the token is also reported as `callEnded` of `authorize`. */
  readonly tokenRenewed: { readonly account: string };
}

/** Receives the events of a client of the payment service. Its functions must be fast. Errors that they throw are ignored. */
export type ServiceObserver = {
  readonly [E in keyof ServiceEvents]?: (event: ServiceEvents[E]) => void;
};

/** Reports an event of one account's client to the observers. The account's name is added to the event. */
export type Tell = <E extends keyof ServiceEvents>(event: E, what: Omit<ServiceEvents[E], 'account'>) => void;

/**
 * Returns a function that reports events to all observers. If an observer throws an error, the call and the other observers are not
 * affected.
 */
export function tellingOf(account: string, observers: readonly ServiceObserver[]): Tell {
  return (event, what) => {
    for (const observer of observers) {
      try {
        observer[event]?.({ account, ...what } as never);
      } catch {
        // An error of an observer is not a failure of the service.
      }
    }
  };
}

/** Returns the class of an exchange, and the reason if the class does not come from a status. */
export function classOf(exchange: RawExchange): Pick<ServiceEvents['callEnded'], 'class' | 'reason'> {
  if (exchange.kind === 'unanswered') return withoutAnswer(exchange.sent, exchange.reason);
  const { status, body } = exchange;
  if (status < 300 && body.state === 'cut') return withoutAnswer(true, body.reason);
  if (status === 429) return { class: '429' };
  return { class: status < 300 ? '2xx' : status < 400 ? '3xx' : status < 500 ? '4xx' : '5xx' };
}

function withoutAnswer(sent: boolean, reason: string): ReturnType<typeof classOf> {
  if (reason === 'CALL_ABORTED') return { class: 'aborted', reason };
  return { class: sent ? 'interrupted' : 'unreachable', reason };
}
