import type { IncomingHttpHeaders } from 'node:http';
import { isNestedTooDeeply } from '../../contract';

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

/** What could be read of a response's body. `Content` is what is known of one that was read to its end. */
export type ResponseBody<Content> =
  | ({ readonly state: 'complete' } & Content)
  /** The connection failed, or the call was stopped, before its end. */
  | { readonly state: 'cut'; readonly reason: string }
  /** More than the bound; the rest was not read. */
  | { readonly state: 'tooLarge' };

interface Answered<Content> {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: ResponseBody<Content>;
}

/** An answer as it came: it may echo the account's secrets. */
export type RawAnswer = Answered<{ readonly bytes: Buffer }>;

/** `json` is undefined where the body is not JSON, which an error's need not be (contract A70), or nested too deeply. */
export type Answer = Answered<{ readonly json: unknown }>;

/** No answer came. `sent` is false only when the service cannot have seen the request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly sent: boolean;
  /** The transport's error code, `CALL_ABORTED` or `CALL_TIMEOUT`. */
  readonly reason: string;
}

export type RawExchange = RawAnswer | Unanswered;
export type Exchange = Answer | Unanswered;

/** The exchange with its body as JSON; `change` sees that first. */
export function parsed(exchange: RawExchange, change = (json: unknown): unknown => json): Exchange {
  if (exchange.kind === 'unanswered') return exchange;
  const { kind, status, headers, body } = exchange;
  if (body.state !== 'complete') return { kind, status, headers, body };
  return { kind, status, headers, body: { state: 'complete', json: change(parseJson(body.bytes)) } };
}

function parseJson(bytes: Buffer): unknown {
  const text = new TextDecoder().decode(bytes);
  if (isNestedTooDeeply(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a 2xx answer that was read to its end; `undefined` for every other exchange. */
export function successJson(exchange: Exchange): unknown {
  if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return undefined;
  return exchange.status >= 200 && exchange.status < 300 ? exchange.body.json : undefined;
}
