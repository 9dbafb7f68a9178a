import type { FastifyReply, FastifyRequest } from 'fastify';
import { basicClient, bearerClient } from './authentication';
import type { SandboxClient } from '../clients/clients';
import type { ApiContext } from './context';
import { HttpProblem } from '../../web/problems';

/** The request decorator that holds the authenticated client. */
export const CLIENT = 'paysessionClient';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Before the body is read, so that a 401 comes before what is wrong with the body (contract A6). */
export function requireBasic(context: ApiContext): Hook {
  return admit(context, (request) => basicClient(request, context.config.clients));
}

/** Contract A4. */
export function requireBearer(context: ApiContext): Hook {
  return admit(context, (request) => bearerClient(request, context.config.clients, context.tokens));
}

export function callerOf(request: FastifyRequest): SandboxClient {
  return request.getDecorator<SandboxClient>(CLIENT);
}

function admit(context: ApiContext, authenticate: (request: FastifyRequest) => SandboxClient): Hook {
  return (request, _reply, done) => {
    const client = authenticate(request);
    request.setDecorator(CLIENT, client);
    const waitMs = context.rateLimiter.waitMs(client.clientId);
    done(waitMs === undefined ? undefined : tooMany(context, waitMs));
  };
}

/** Contract A71. */
function tooMany({ config }: ApiContext, waitMs: number): HttpProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  const retryAfter =
    config.retryAfterForm === 'seconds'
      ? String(seconds)
      : new Date(config.clock.now() + seconds * 1_000).toUTCString();
  return new HttpProblem(429, 'The client has made too many calls. Wait as long as Retry-After says.', {
    headers: { 'retry-after': retryAfter },
  });
}
