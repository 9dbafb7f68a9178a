import type { Dispatcher } from 'undici';
import type { ResponseBody } from './response-body';

/** What is asked of the service; it names the call in messages and decides what a status means. */
export type ServiceCall = 'authorize' | 'create' | 'details' | 'cancel' | 'status';

export interface OutgoingRequest {
  readonly call: ServiceCall;
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<Dispatcher.ResponseData['headers']>;
  readonly body: ResponseBody;
}

/** No answer came. `sent` is false only when the service cannot have seen the request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly sent: boolean;
  /** The transport's error code, `CALL_ABORTED` or `CALL_TIMEOUT`. */
  readonly reason: string;
}

export type Exchange = Answer | Unanswered;

/** The JSON of a 2xx answer that was read to its end; `undefined` for every other exchange. */
export function successJson(exchange: Exchange): unknown {
  if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return undefined;
  return exchange.status >= 200 && exchange.status < 300 ? exchange.body.json : undefined;
}
