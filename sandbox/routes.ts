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
  outboxJson: { method: 'GET', path: '/outbox.json' },
  openapi: { method: 'GET', path: '/openapi.json' },
  health: { method: 'GET', path: '/healthz' },
} as const;

export type RouteName = keyof typeof ROUTES;

const PATTERNS = Object.entries(ROUTES).map(([name, { method, path }]) => ({
  name: name as RouteName,
  path,
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  pattern: new RegExp(`^${path.replace(':sessionId', '[^/]*').replace('.', String.raw`\.`)}$`),
}));

/** The route that Fastify matched, by its method and pattern. */
export function routeNamed(method: string, pattern: string | undefined): RouteName | undefined {
  return PATTERNS.find(({ path, methods }) => path === pattern && methods.includes(method))?.name;
}

/** The methods that a path answers to, for `Allow`; `undefined` for a path that there is not. */
export function allowedMethods(pathname: string): readonly string[] | undefined {
  const matching = PATTERNS.filter(({ pattern }) => pattern.test(pathname));
  return matching.length === 0 ? undefined : matching.flatMap(({ methods }) => methods);
}
