import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret } from '../../src/web/guards';
import { HttpProblem } from '../../src/web/problems';
import type { SandboxClient } from '../clients';
import type { TokenStore } from './tokens';
import type { Outbox } from '../sessions/mails';
import type { SandboxConfig } from '../options';
import type { SessionStore } from '../sessions/session-store';

/** Parts of the sandbox that the service's endpoints use. */
export interface ApiContext {
  readonly config: SandboxConfig;
  readonly tokens: TokenStore;
  readonly rateLimiter: RateLimiter;
  readonly sessions: SessionStore;
  readonly outbox: Outbox;
}

/** The request decorator that holds the authenticated client. */
export const CLIENT = 'paysessionClient';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * Admits callers with a client's id and secret. Runs before the body is read, so a 401 comes before errors of the body (contract rule A6 in
 * docs/contract.md).
 */
export function requireBasic(context: ApiContext): Hook {
  return admit(context, (request) => basicClient(request, context.config.clients));
}

/** Admits callers with a valid token (contract A4). */
export function requireBearer(context: ApiContext): Hook {
  return admit(context, (request) => bearerClient(request, context.config.clients, context.tokens));
}

export function callerOf(request: FastifyRequest): SandboxClient {
  return request.getDecorator<SandboxClient>(CLIENT);
}

/** Returns a hook that authenticates the client. If the client has used up the calls of its window, the hook answers 429. */
function admit(context: ApiContext, authenticate: (request: FastifyRequest) => SandboxClient): Hook {
  return (request, _reply, done) => {
    const client = authenticate(request);
    request.setDecorator(CLIENT, client);
    const waitMs = context.rateLimiter.waitMs(client.clientId);
    done(waitMs === undefined ? undefined : tooMany(context, waitMs));
  };
}

/** Returns the 429 of a client that has to wait (contract A71). A date in `retry-after` and the answer's `date` are of the same clock. */
function tooMany({ config }: ApiContext, waitMs: number): HttpProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  const dateIn = (inSeconds: number) => new Date(config.clock.now() + inSeconds * 1_000).toUTCString();
  const headers =
    config.retryAfterForm === 'seconds'
      ? { 'retry-after': String(seconds) }
      : { 'retry-after': dateIn(seconds), date: dateIn(0) };
  return new HttpProblem(429, 'The client has made too many calls. Wait as long as Retry-After says.', {
    headers,
  });
}

/** Returns the client that a request's Basic credentials name (contract A5). Throws a 401 if they are missing or wrong. */
function basicClient(request: FastifyRequest, clients: readonly SandboxClient[]): SandboxClient {
  const credentials = readBasic(request.headers.authorization);
  // Every client is compared, so that the response time does not reveal which ids exist.
  const matching = clients.filter((client) =>
    isSameSecret(`${client.clientId}:${client.clientSecret}`, credentials),
  );
  const [client] = matching;
  if (client === undefined) {
    throw unauthorized(
      'The client id and secret are missing or wrong.',
      'Basic realm="paysession", charset="UTF-8"',
    );
  }
  return client;
}

/** Returns the client that a request's Bearer token belongs to (contract A4). Throws a 401 if the token is missing, invalid or expired. */
function bearerClient(
  request: FastifyRequest,
  clients: readonly SandboxClient[],
  tokens: TokenStore,
): SandboxClient {
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
  const clientId = token === undefined ? undefined : tokens.clientIdOf(token);
  const client = clients.find((candidate) => candidate.clientId === clientId);
  if (client === undefined) {
    throw unauthorized('The Bearer token is missing, invalid or expired.', 'Bearer realm="paysession"');
  }
  return client;
}

function unauthorized(detail: string, challenge: string): HttpProblem {
  return new HttpProblem(401, detail, { headers: { 'www-authenticate': challenge } });
}

function readBasic(header = ''): string {
  const encoded = /^Basic +([\w+/-]+=*)$/i.exec(header)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** Counts each client's calls in windows of a fixed length (contract A71). */
export class RateLimiter {
  readonly #windows = new Map<string, { readonly startedAtMs: number; readonly count: number }>();
  readonly #config: SandboxConfig;

  constructor(config: SandboxConfig) {
    this.#config = config;
  }

  /** Counts a call and returns `undefined`. If the client has no calls left, returns the milliseconds until its next window instead. */
  waitMs(clientId: string): number | undefined {
    const { clock, rateLimitRequests, rateLimitWindowMs } = this.#config;
    if (rateLimitRequests === 0) return undefined;
    const nowMs = clock.now();
    const last = this.#windows.get(clientId);
    const current = last !== undefined && nowMs < last.startedAtMs + rateLimitWindowMs ? last : undefined;
    const { startedAtMs, count } = current ?? { startedAtMs: nowMs, count: 0 };
    if (count >= rateLimitRequests) return startedAtMs + rateLimitWindowMs - nowMs;
    this.#windows.set(clientId, { startedAtMs, count: count + 1 });
    return undefined;
  }
}
