/**
 * The endpoint for hints. A hint is an HTTP request whose body contains session ids of the payment service. The service's own
 * webhooks may be such requests (contract rule A79, docs/contract.md). A hint only makes a worker poll the named sessions early.
 * The worker believes nothing that a hint says about a session.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseFailures } from '../src/settings/parse-settings';
import { bearerToken, BEARER_TOKEN_RULE } from '../src/settings/setting-values';
import { CallRate } from '../src/service/pace/learned-rate';
import { isSameSecret } from '../src/web/guards';
import { httpServer } from '../src/web/http-server';
import { answerProblems, HttpProblem } from '../src/web/problems';
import type { HintedRefreshes } from './hinted-refreshes';
import { toListenError } from './probes';
import { soon } from '../src/sessions';

/** A request as it arrived. Nothing of its body has been parsed. */
export interface RawHint {
  /** The headers, with names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The body, at most 64 KiB. */
  readonly body: Buffer;
}

/** Returns true if the request comes from the payment service, for instance because its signature is valid. */
export type HintCheck = (hint: RawHint) => boolean | Promise<boolean>;

/** Options of the endpoint for hints. `secret` or `check` is required. If both are set, a hint must pass both. */
export interface HintOptions {
  /** The port to listen on. */
  readonly port: number;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * The secret that a sender must include, as a bearer token or as the password of Basic authentication. It has 16 to 4096
   * printable ASCII characters and no spaces.
   */
  readonly secret?: string;
  /**
   * Checks each request, for instance the service's signature over the body. If the check throws or takes longer than five
   * seconds, the hint is refused.
   */
  readonly check?: HintCheck;
}

/**
 * The outcome of a request. `taken`: the named sessions are polled soon. `empty`: the body contains no id. `refused`: the secret
 * or the check failed. `limited`: there were too many requests, checks or waiting sessions.
 */
export type HintOutcome = 'taken' | 'empty' | 'refused' | 'limited';

/** The parts of a worker that its endpoint for hints uses. */
export interface HintParts {
  readonly refreshes: Pick<HintedRefreshes, 'take' | 'stop'>;
  readonly onHint: (outcome: HintOutcome) => void;
  /** Receives the error of a failed check. The error's message may quote the request. */
  readonly onCheckFailed: (error: unknown) => void;
}

/** A running endpoint for hints. */
export interface HintServer {
  /** Stops listening, and drops the hinted sessions that still wait for their search. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024;
const LIMITS = { requestTimeoutMs: 10_000, lookEveryMs: 1_000, maxConnections: 200 };
/** The maximum number of requests that a worker accepts per second on average, and the largest burst. */
export const HINTS_PER_SECOND = 100;
/** The longest time that a check may take. */
const CHECK_WITHIN_MS = 5_000;
/** The maximum number of checks that run at once. */
const MOST_CHECKS = 50;
/** The maximum number of ids that are read from one request. */
const MOST_IDS = 10;

const ROUTES = { hints: { method: 'POST', path: '/hints' } };

/**
 * Serves `POST /hints`.
 *
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program uses the port
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if the port or the secret is invalid, or if the options lack both a secret and a
 * check
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if this machine does not have the address, or this user may not listen on the port
 */
export async function serveHints(options: HintOptions, parts: HintParts): Promise<HintServer> {
  checkOptions(options);
  const { port, host = '127.0.0.1' } = options;
  const app = httpServer(MAX_BODY_BYTES, LIMITS);
  answerProblems(app, ROUTES);
  serveRoute(app, options, parts);
  try {
    await app.listen({ port, host });
  } catch (error) {
    await app.close();
    throw toListenError(error, port, { port: 'PAYSESSION_HINT_PORT', host: 'PAYSESSION_HINT_HOST' });
  }
  return {
    close: async () => {
      parts.refreshes.stop();
      await app.close();
    },
  };
}

function checkOptions({ port, secret, check }: HintOptions): void {
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  const isSecret = secret === undefined || bearerToken.safeParse(secret).success;
  refuseFailures([
    ...(isPort ? [] : [{ path: 'hints.port', message: 'must be a port number from 1 to 65535' }]),
    ...(isSecret ? [] : [{ path: 'hints.secret', message: BEARER_TOKEN_RULE }]),
    ...(secret === undefined && check === undefined
      ? [{ path: 'hints', message: 'needs a secret or a check: otherwise anyone could send hints' }]
      : []),
  ]);
}

/**
 * Adds the route to the server. The answer to a hint is the same for every id, and the server sends it before the worker searches
 * for the session. So a sender cannot find out which sessions exist, from the answer or from the time it takes.
 */
function serveRoute(app: FastifyInstance, { secret, check }: HintOptions, parts: HintParts): void {
  const rate = new CallRate(HINTS_PER_SECOND, performance.now());
  const isAccepted = check === undefined ? undefined : boundedCheck(check, parts);

  // This hook runs before the body is read.
  app.addHook('onRequest', (request, _reply, done) => {
    if (secret !== undefined && !isSameSecret(secret, secretOf(request))) {
      parts.onHint('refused');
      done(unauthorized());
    } else if (rate.waitMs(performance.now()) > 0) {
      parts.onHint('limited');
      done(tooMany());
    } else {
      rate.spend(performance.now());
      // fastify refuses bodies whose content type it cannot parse. So the content type is replaced here. The check still receives
      // the original headers, from `request.raw`.
      request.headers = { 'content-type': 'application/octet-stream' };
      done();
    }
  });

  app.post(ROUTES.hints.path, async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (isAccepted !== undefined && !(await isAccepted({ headers: request.raw.headers, body }))) {
      parts.onHint('refused');
      throw unauthorized();
    }
    const ids = idsIn(body);
    const isTaken = parts.refreshes.take(ids);
    if (ids.length === 0) parts.onHint('empty');
    else parts.onHint(isTaken ? 'taken' : 'limited');
    return reply.code(202).send();
  });
}

/** Returns the bearer token of a request, or the password of its Basic authentication. Returns '' if the request has no secret. */
function secretOf({ headers: { authorization = '' } }: FastifyRequest): string {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Returns the first {@link MOST_IDS} different ids in a body of any content type, in lower case. */
function idsIn(body: Buffer): readonly string[] {
  // Latin-1 can decode any bytes, and an id has only ASCII characters.
  const ids = Array.from(body.toString('latin1').matchAll(ID), ([id]) => id.toLowerCase());
  return [...new Set(ids)].slice(0, MOST_IDS);
}

/**
 * Returns a check with limits. It returns false if `check` throws or takes too long. It throws a problem with status 429 if too many
 * checks already run.
 */
function boundedCheck(check: HintCheck, parts: HintParts): (hint: RawHint) => Promise<boolean> {
  let running = 0;
  return async (hint) => {
    if (running >= MOST_CHECKS) {
      parts.onHint('limited');
      throw tooMany();
    }
    running += 1;
    const checked = (async () => ({ isGood: await check(hint) }))().finally(() => {
      running -= 1;
    });
    try {
      const answer = await soon(checked, CHECK_WITHIN_MS);
      if (answer === undefined) throw new Error(`The check took longer than ${CHECK_WITHIN_MS} ms.`);
      return answer.isGood;
    } catch (error) {
      parts.onCheckFailed(error);
      return false;
    }
  };
}

const unauthorized = (): HttpProblem =>
  new HttpProblem(401, 'The secret or the signature of the hint is missing or wrong.', {
    headers: { 'www-authenticate': 'Bearer realm="paysession"' },
  });

const tooMany = (): HttpProblem =>
  new HttpProblem(429, 'There are too many hints.', { headers: { 'retry-after': '1' } });
