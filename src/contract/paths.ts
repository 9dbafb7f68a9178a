/** The service's paths, relative to its base URL (specification, "Endpoints"; the status path is contract A52's default). */
export const PATHS = {
  authorize: '/api/v1/authorize',
  sessions: '/api/v2/sessions',
  details: (sessionId: string) => `/api/v2/sessions/${encodeURIComponent(sessionId)}/details`,
  cancel: (sessionId: string) => `/api/v2/sessions/${encodeURIComponent(sessionId)}/cancel`,
  status: (sessionId: string) => `/api/v2/sessions/${encodeURIComponent(sessionId)}/status`,
  hostedFlow: (sessionId: string) => `/app/?sessionId=${encodeURIComponent(sessionId)}`,
} as const;

/** How long an access token is valid, in seconds (contract A3). */
export const TOKEN_LIFETIME_S = 599;

/** The largest request body the service takes, in bytes (contract A20). */
export const MAX_REQUEST_BYTES = 64 * 1024;
