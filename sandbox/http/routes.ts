import { methodsOf } from '../../web/allowed-methods';

/** The routes of the service, by the names that the log, the holds and the faults use. */
export const ROUTES = {
  authorize: { method: 'POST', path: '/api/v1/authorize' },
  create: { method: 'POST', path: '/api/v2/sessions' },
  details: { method: 'GET', path: '/api/v2/sessions/:sessionId/details' },
  cancel: { method: 'POST', path: '/api/v2/sessions/:sessionId/cancel' },
  status: { method: 'GET', path: '/api/v2/sessions/:sessionId/status' },
  hostedFlow: { method: 'GET', path: '/app/' },
  hostedFlowStep: { method: 'POST', path: '/app/' },
  hostedFlowRedirect: { method: 'GET', path: '/app' },
  overview: { method: 'GET', path: '/' },
  outbox: { method: 'GET', path: '/outbox' },
  sessionPage: { method: 'GET', path: '/sessions/:sessionId' },
  playPayor: { method: 'POST', path: '/sessions/:sessionId' },
  reset: { method: 'POST', path: '/reset' },
  outboxJson: { method: 'GET', path: '/outbox.json' },
  openapi: { method: 'GET', path: '/openapi.json' },
  health: { method: 'GET', path: '/healthz' },
} as const;

/** The routes of the payment service and of the sandbox. */
export type RouteName = keyof typeof ROUTES;

const NAMES = Object.keys(ROUTES) as RouteName[];

/** The route that Fastify matched, by its method and pattern. */
export function routeNamed(method: string, pattern: string | undefined): RouteName | undefined {
  return NAMES.find(
    (name) => ROUTES[name].path === pattern && methodsOf(ROUTES[name].method).includes(method),
  );
}
