/**
 * The paths of the service's calls, relative to the service's base URL. `{sessionId}` stands for a session's id. See "Endpoints"
 * in the specification. The status path is the default of contract rule A52 (docs/contract.md).
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

/** The paths to call. A path with a session's id is a function of the id. */
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

/** The service's error body: RFC 7807 problem details. Every member is optional (contract A70). */
export type ProblemDetails = {
  type?: string | null | undefined;
  title?: string | null | undefined;
  status?: number | null | undefined;
  detail?: string | null | undefined;
  instance?: string | null | undefined;
  /** The path of each invalid field, with the messages about the field (contract A21). */
  errors?: Record<string, string[]> | undefined;
};
