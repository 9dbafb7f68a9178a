import type { FastifyRequest } from 'fastify';
import { PATH_TEMPLATES } from '../../src/contract';
import { methodsOf, HttpProblem } from '../../src/web/problems';

/** Returns a path of the service in Fastify's syntax, with `:sessionId`. */
const patternOf = (call: keyof typeof PATH_TEMPLATES): string =>
  PATH_TEMPLATES[call].replace(/\{(\w+)\}/, ':$1');

/** The routes of the service and of the sandbox itself. The log of calls, the holds and the faults use these names. */
export const ROUTES = {
  authorize: { method: 'POST', path: patternOf('authorize') },
  create: { method: 'POST', path: patternOf('create') },
  details: { method: 'GET', path: patternOf('details') },
  cancel: { method: 'POST', path: patternOf('cancel') },
  status: { method: 'GET', path: patternOf('status') },
  hostedFlow: { method: 'GET', path: '/app/' },
  hostedFlowStep: { method: 'POST', path: '/app/' },
  hostedFlowRedirect: { method: 'GET', path: '/app' },
  overview: { method: 'GET', path: '/' },
  outbox: { method: 'GET', path: '/outbox' },
  sessionPage: { method: 'GET', path: '/sessions/:sessionId' },
  playPayor: { method: 'POST', path: '/sessions/:sessionId' },
  reset: { method: 'POST', path: '/reset' },
  fail: { method: 'POST', path: '/faults' },
  outboxJson: { method: 'GET', path: '/outbox.json' },
  controlPort: { method: 'GET', path: '/control.json' },
  openapi: { method: 'GET', path: '/openapi.json' },
  health: { method: 'GET', path: '/healthz' },
} as const;

/** The routes of the payment service and of the sandbox. */
export type RouteName = keyof typeof ROUTES;

const NAMES = Object.keys(ROUTES) as RouteName[];

/** Returns the name of the route that Fastify matched, by its method and pattern. */
export function routeNamed(method: string, pattern: string | undefined): RouteName | undefined {
  return NAMES.find(
    (name) => ROUTES[name].path === pattern && methodsOf(ROUTES[name].method).includes(method),
  );
}

/** Returns the same answer for an unknown, a malformed and another client's session (contract rule A53 in docs/contract.md). */
export function unknownSession(): HttpProblem {
  return new HttpProblem(404, 'There is no such session.');
}

/** Returns the session id in the path of a request. */
export const sessionIdOf = ({ params }: FastifyRequest): string =>
  (params as { readonly sessionId: string }).sessionId;
