import type { RawExchange, ServiceCall } from './http/exchange';
import type { CallKind, Pause } from './pace/pace';

/**
 * The end of one exchange with the service: the class of its HTTP status, with `429` apart from the other 4xx. `unreachable`:
 * nothing was sent. `interrupted`: the request was sent, but no answer came, or only a part of a 2xx answer. `aborted`: this side
 * stopped the exchange before its time was over.
 */
export type CallClass = '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'unreachable' | 'interrupted' | 'aborted';

/** The end of a call's wait for its turn. */
interface CallTurn {
  readonly account: string;
  readonly call: CallKind;
  readonly waitedMs: number;
  /**
   * True from a pause of calls of this kind until an answer ends the pause. A call that goes meanwhile shows whether the service is back.
   */
  readonly isPaused: boolean;
}

/** The events of a client of the payment service. They contain nothing of a session, a payor or a secret. */
export interface ServiceEvents {
  /** An exchange ended. A retry after a 401 is an exchange of its own. */
  readonly callEnded: {
    readonly account: string;
    readonly call: ServiceCall;
    readonly class: CallClass;
    /** The time from getting a connection slot to the end of the exchange, in milliseconds. */
    readonly ms: number;
    /** The transport's error, such as `ECONNREFUSED`, or the code of this side's stop. Absent if the class is that of a status. */
    readonly reason?: string;
  };
  /** A call may go. */
  readonly turnTaken: CallTurn;
  /**
   * A call waited for its turn without success, or was turned away at once. Nothing was sent. The call may ask again after
   * `retryAfterMs`.
   */
  readonly turnedAway: CallTurn & { readonly retryAfterMs: number };
  /**
   * The account's create requests, its polls or both are paused. A renewed pause is reported again only if the cause or the paused calls
   * change. A rate limit that is met again within a minute is not reported.
   */
  readonly paused: Pause & { readonly account: string };
  /** The paused calls continue. */
  readonly resumed: { readonly account: string };
  /** The service refused the account's credentials. While it does so, the client asks for tokens less and less often. */
  readonly credentialsRefused: { readonly account: string };
  /** A token was issued. Each exchange for a token is also a `callEnded` of `authorize`. */
  readonly tokenRenewed: { readonly account: string };
}

/** Receives the events of a client of the payment service. It must be quick; errors that it throws are dropped. */
export type ServiceObserver = {
  readonly [E in keyof ServiceEvents]?: (event: ServiceEvents[E]) => void;
};

/** Reports an event of one account's client; the name of the account is added for the observer. */
export type Tell = <E extends keyof ServiceEvents>(event: E, what: Omit<ServiceEvents[E], 'account'>) => void;

/**
 * Returns a function that reports to all observers. An observer's error reaches neither the call, whose outcome it would change,
 * nor the other observers.
 */
export function tellingOf(account: string, observers: readonly ServiceObserver[]): Tell {
  return (event, what) => {
    for (const observer of observers) {
      try {
        observer[event]?.({ account, ...what } as never);
      } catch {
        // An observer's mistake is not a failure of the service.
      }
    }
  };
}

/** Returns the class of an exchange, and the reason if the class is not that of a status. */
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
