/**
 * The paths of the service's calls, relative to its base URL, with `{sessionId}` for a session's id (specification, "Endpoints";
 * the status path is contract A52's default).
 */
export const PATH_TEMPLATES = {
  authorize: '/api/v1/authorize',
  create: '/api/v2/sessions',
  details: '/api/v2/sessions/{sessionId}/details',
  cancel: '/api/v2/sessions/{sessionId}/cancel',
  status: '/api/v2/sessions/{sessionId}/status',
} as const;

const pathOf = (call: keyof typeof PATH_TEMPLATES, sessionId: string): string =>
  PATH_TEMPLATES[call].replace('{sessionId}', () => encodeURIComponent(sessionId));

/** The paths to call. The paths of one session are functions of its id. */
export const PATHS = {
  authorize: PATH_TEMPLATES.authorize,
  sessions: PATH_TEMPLATES.create,
  details: (sessionId: string) => pathOf('details', sessionId),
  cancel: (sessionId: string) => pathOf('cancel', sessionId),
  hostedFlow: (sessionId: string) => `/app/?sessionId=${encodeURIComponent(sessionId)}`,
} as const;

/** The lifetime of an access token, in seconds (contract A3). */
export const TOKEN_LIFETIME_S = 599;

/** The largest request body that the service accepts, in bytes (contract A20). */
export const MAX_REQUEST_BYTES = 64 * 1024;

/** RFC 7807 problem details, in which every member is optional (contract A70). */
export type ProblemDetails = {
  type?: string | null | undefined;
  title?: string | null | undefined;
  status?: number | null | undefined;
  detail?: string | null | undefined;
  instance?: string | null | undefined;
  /** Messages by the path of their field (contract A21). */
  errors?: Record<string, string[]> | undefined;
};
