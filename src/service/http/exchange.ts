import type { IncomingHttpHeaders } from 'node:http';
import { isNestedTooDeeply, isSessionId } from '../../contract';

/** The kind of a call to the service. It names the call in messages, and decides the meaning of a status. */
export type ServiceCall = 'authorize' | 'create' | 'details' | 'cancel';

export interface OutgoingRequest {
  readonly call: ServiceCall;
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * True if a session id can be one segment of a path. Encoding does not help three kinds of text: `.` and `..` would be steps of the
 * path, an empty text would omit a segment, and a lone surrogate cannot be encoded.
 */
export function isPathSegment(sessionId: string): boolean {
  return !['', '.', '..'].includes(sessionId) && !/\p{Surrogate}/u.test(sessionId);
}

/** The readable part of a response's body. `Content` describes a body that was read to its end, `Beginning` any other body. */
export type ResponseBody<Content, Beginning> =
  | ({ readonly state: 'complete' } & Content)
  /** The connection failed, or the call was stopped, before the body's end. */
  | ({ readonly state: 'cut'; readonly reason: string } & Beginning)
  /** The body, as sent or decoded, is larger than the bound. */
  | ({ readonly state: 'tooLarge' } & Beginning)
  /** The body has a content coding that cannot be undone. `coding` is `undefined` for an unknown name or for too many codings. */
  | ({ readonly state: 'coded'; readonly coding: string | undefined } & Beginning);

interface Answered<Content, Beginning> {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: ResponseBody<Content, Beginning>;
}

/** An answer before redaction: it may echo the account's secrets. */
export type RawAnswer = Answered<{ readonly bytes: Buffer }, { readonly bytes: Buffer }>;

/**
 * An answer whose body was parsed. `json` is `undefined` if the body is not JSON, which errors need not be (contract A70), or is nested
 * too deeply.
 */
export type Answer = Answered<{ readonly json: unknown }, unknown>;

/** An exchange without an answer. `sent` is false only if the service cannot have seen the request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly sent: boolean;
  /** `CALL_ABORTED` or `CALL_TIMEOUT` if this side stopped the call; otherwise the transport's error (`transportReason`). */
  readonly reason: string;
}

export type RawExchange = RawAnswer | Unanswered;
export type Exchange = Answer | Unanswered;

/** Returns the exchange with its body as JSON, which `change` may change. */
export function parsed(exchange: RawExchange, change = (json: unknown): unknown => json): Exchange {
  if (exchange.kind === 'unanswered') return exchange;
  const { kind, status, headers, body } = exchange;
  const { bytes, ...rest } = body;
  if (rest.state !== 'complete') return { kind, status, headers, body: rest };
  const json = change(parseJson(textOf(bytes, headers['content-type'])));
  return { kind, status, headers, body: { ...rest, json } };
}

/**
 * Returns the session id that the answer to a create request names, even if its body cannot be read or is not believed: a person may need
 * the id.
 */
export function namedSession(exchange: RawExchange): string | undefined {
  if (exchange.kind === 'unanswered') return undefined;
  const { headers, body } = exchange;
  const [, named] = /"session_?id"\s*:\s*"([^"]*)"/i.exec(textOf(body.bytes, headers['content-type'])) ?? [];
  return [named, ...String(headers.location).split(/[/?#]/)].find(isSessionId);
}

/**
 * Decodes a body. JSON is UTF-8 (RFC 8259), whatever charset the header names. Only an answer that is not UTF-8 is read in the header's
 * charset.
 */
function textOf(bytes: Buffer, contentType: string | readonly string[] = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(String(contentType)) ?? [];
  for (const encoding of ['utf-8', charset]) {
    try {
      // Also skips a byte order mark.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // The text is not in this charset, or the charset does not exist.
    }
  }
  return new TextDecoder().decode(bytes);
}

function parseJson(text: string): unknown {
  if (isNestedTooDeeply(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the JSON of a 2xx answer that was read to its end; `undefined` for every other exchange. */
export function successJson(exchange: Exchange): unknown {
  if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return undefined;
  return exchange.status >= 200 && exchange.status < 300 ? exchange.body.json : undefined;
}

/**
 * Returns a transport error's code, such as `ECONNREFUSED`, or else its name, or else `CONNECTION_FAILED`. For a proxy that opens no
 * tunnel, returns the proxy's status, such as `PROXY_407`. The message and other members are dropped: a parser's error carries bytes
 * of the response, which may hold personal data.
 */
export function transportReason(error: unknown): string {
  const { code, name, message } = (error ?? {}) as { readonly [K in 'code' | 'name' | 'message']?: unknown };
  const [, status] = /^Proxy response \((\d{3})\)/.exec(String(message)) ?? [];
  if (status !== undefined) return `PROXY_${status}`;
  const word = [code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return typeof word === 'string' ? word : 'CONNECTION_FAILED';
}

/** Receives each exchange with the payment service, to make a span of it. */
export interface ExchangeTracer {
  /** Begins an exchange, in the caller's asynchronous context. */
  begin(request: Pick<OutgoingRequest, 'call' | 'method'>): TracedExchange;
}

/** One traced exchange. */
export interface TracedExchange {
  /** W3C's `traceparent` of the exchange, which may be sent to the service. */
  readonly traceparent?: string | undefined;
  /** Ends the exchange. */
  end(exchange: RawExchange): void;
}

/** Begins the span of an exchange. An error of the tracer does not reach the call, whose outcome it would change. */
export function traceOf(
  tracer: ExchangeTracer | undefined,
  request: Pick<OutgoingRequest, 'call' | 'method'>,
): TracedExchange {
  const traced = quietly(() => tracer?.begin(request));
  return {
    traceparent: quietly(() => traced?.traceparent),
    end: (exchange) => {
      quietly(() => traced?.end(exchange));
    },
  };
}

function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    // A tracer's mistake is not a failure of the service.
    return undefined;
  }
}
