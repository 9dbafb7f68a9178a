import type { IncomingHttpHeaders } from 'node:http';
import { isNestedTooDeeply, isSessionId } from '../../contract';

/** The kind of a call to the service. The meaning of a status depends on it. */
export type ServiceCall = 'authorize' | 'create' | 'details' | 'cancel';

export interface OutgoingRequest {
  readonly call: ServiceCall;
  readonly method: 'GET' | 'POST';
  /** The encoded path, relative to the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * True if a session id can be one segment of a path. Some texts cannot, even if they are encoded: `.` and `..` are steps of a path, an
 * empty text is no segment, and a lone surrogate cannot be encoded.
 */
export function isPathSegment(sessionId: string): boolean {
  return !['', '.', '..'].includes(sessionId) && !/\p{Surrogate}/u.test(sessionId);
}

/**
 * The body of a response, as far as it could be read. `Content` is the type of a complete body, and `Beginning` is the type of any other
 * body.
 */
export type ResponseBody<Content, Beginning> =
  | ({ readonly state: 'complete' } & Content)
  /** The connection failed or the call was stopped before the end of the body. */
  | ({ readonly state: 'cut'; readonly reason: string } & Beginning)
  /** The body is too large, as it was sent or after decoding. */
  | ({ readonly state: 'tooLarge' } & Beginning)
  /**
   * The body has a content coding that cannot be decoded. `coding` is `undefined` if its name is unknown, or if there are too many
   * codings.
   */
  | ({ readonly state: 'coded'; readonly coding: string | undefined } & Beginning);

interface Answered<Content, Beginning> {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: ResponseBody<Content, Beginning>;
}

/** An answer before redaction, which may contain the account's secrets. */
export type RawAnswer = Answered<{ readonly bytes: Buffer }, { readonly bytes: Buffer }>;

/**
 * An answer with a parsed body. `json` is `undefined` if the body is nested too deeply or is not JSON. The body of an error need not be
 * JSON (contract rule A70, docs/contract.md).
 */
export type Answer = Answered<{ readonly json: unknown }, unknown>;

/** An exchange without an answer. `sent` is false only if the service cannot have seen the request. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly sent: boolean;
  /** `CALL_ABORTED` or `CALL_TIMEOUT` if the client stopped the call. Otherwise, the transport's error (see `transportReason`). */
  readonly reason: string;
}

export type RawExchange = RawAnswer | Unanswered;
export type Exchange = Answer | Unanswered;

/** Returns the exchange with its body parsed as JSON. `change` may replace the parsed value. */
export function parsed(exchange: RawExchange, change = (json: unknown): unknown => json): Exchange {
  if (exchange.kind === 'unanswered') return exchange;
  const { kind, status, headers, body } = exchange;
  const { bytes, ...rest } = body;
  if (rest.state !== 'complete') return { kind, status, headers, body: rest };
  const json = change(parseJson(textOf(bytes, headers['content-type'])));
  return { kind, status, headers, body: { ...rest, json } };
}

/** Finds the session id in the answer to a create request, even if the answer cannot be parsed or believed. A person may need the id. */
export function namedSession(exchange: RawExchange): string | undefined {
  if (exchange.kind === 'unanswered') return undefined;
  const { headers, body } = exchange;
  const [, named] = /"session_?id"\s*:\s*"([^"]*)"/i.exec(textOf(body.bytes, headers['content-type'])) ?? [];
  return [named, ...String(headers.location).split(/[/?#]/)].find(isSessionId);
}

/** Decodes a body to text. JSON must be UTF-8 (RFC 8259), so the charset in the header is used only if the body is not valid UTF-8. */
function textOf(bytes: Buffer, contentType: string | readonly string[] = ''): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(String(contentType)) ?? [];
  for (const encoding of ['utf-8', charset]) {
    try {
      // The decoder also skips a byte order mark.
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // The body is not in this charset, or the charset does not exist.
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

/** Returns the JSON of a 2xx answer with a complete body. Returns `undefined` for any other exchange. */
export function successJson(exchange: Exchange): unknown {
  if (exchange.kind === 'unanswered' || exchange.body.state !== 'complete') return undefined;
  return exchange.status >= 200 && exchange.status < 300 ? exchange.body.json : undefined;
}

/**
 * Returns a short reason for a transport error: its code, such as `ECONNREFUSED`, or its name. If it has none, returns
 * `CONNECTION_FAILED`. If a proxy refuses to open a tunnel, returns the proxy's status, such as `PROXY_407`. The error's message is
 * never used, because a parser's error may contain bytes of the response with personal data.
 */
export function transportReason(error: unknown): string {
  const { code, name, message } = (error ?? {}) as { readonly [K in 'code' | 'name' | 'message']?: unknown };
  const [, status] = /^Proxy response \((\d{3})\)/.exec(String(message)) ?? [];
  if (status !== undefined) return `PROXY_${status}`;
  const word = [code, name].find((text) => typeof text === 'string' && /^\w{1,60}$/.test(text));
  return typeof word === 'string' ? word : 'CONNECTION_FAILED';
}

/** Traces each exchange with the payment service as a span. */
export interface ExchangeTracer {
  /** Called when an exchange begins, in the caller's asynchronous context. */
  begin(request: Pick<OutgoingRequest, 'call' | 'method'>): TracedExchange;
}

/** One traced exchange. */
export interface TracedExchange {
  /** W3C's `traceparent` of the exchange, which may be sent to the service. */
  readonly traceparent?: string | undefined;
  /** Called when the exchange has ended. */
  end(exchange: RawExchange): void;
}

/** Begins the span of an exchange. If the tracer throws an error, the call is not affected. */
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
    // An error of the tracer is not a failure of the service.
    return undefined;
  }
}
