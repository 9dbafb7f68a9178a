import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';

const baseUrl = process.env['SERVICE_URL'] ?? '';
const credentials = Buffer.from(
  `${process.env['CLIENT_ID'] ?? ''}:${process.env['CLIENT_SECRET'] ?? ''}`,
).toString('base64');

/** The part of a session's details that the workflow needs. */
export interface Details {
  readonly status: string;
  readonly statusDetails?: string;
}

/**
 * The current token. It stays in the worker's memory. No activity returns it, because the history would then store it.
 */
let token: { readonly value: string; readonly expiresAtMs: number } | undefined;

const RENEWED_AHEAD_MS = 60_000;

/** Fetches a token if the worker has no token that is valid for another minute. */
export async function authenticate(): Promise<void> {
  await currentToken();
}

/** Creates a session and returns its id. */
export async function createSession(session: object): Promise<string> {
  const { sessionId } = await call<{ sessionId: string }>('POST', '/api/v2/sessions', session);
  return sessionId;
}

export async function sessionDetails(sessionId: string): Promise<Details> {
  const { status, statusDetails } = await call<Details>('GET', `/api/v2/sessions/${sessionId}/details`);
  return { status, ...(statusDetails !== undefined && { statusDetails }) };
}

export async function cancelSession(sessionId: string): Promise<void> {
  try {
    await call('POST', `/api/v2/sessions/${sessionId}/cancel`, {});
  } catch (error) {
    // The service refuses to cancel a session that has already ended. The next poll shows how it ended.
    if (!(error instanceof ApplicationFailure)) throw error;
  }
}

async function currentToken(): Promise<string> {
  if (token === undefined || token.expiresAtMs - RENEWED_AHEAD_MS < Date.now()) {
    const response = await request(`${baseUrl}/api/v1/authorize`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    if (response.statusCode !== 200) throw new Error(`authorize answered ${response.statusCode}`);
    const granted = (await response.body.json()) as { access_token: string; expires_in: number };
    token = { value: granted.access_token, expiresAtMs: Date.now() + granted.expires_in * 1_000 };
  }
  return token.value;
}

/**
 * Calls the service with a token. Throws a non-retryable `ApplicationFailure` if the service answers 400, and an
 * `Error` for any other failure.
 */
async function call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  const response = await request(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${await currentToken()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.statusCode < 300) return (await response.body.json()) as Answer;
  const message = `${method} ${path} answered ${response.statusCode}`;
  await response.body.dump();
  if (response.statusCode === 400) throw ApplicationFailure.nonRetryable(message);
  throw new Error(message);
}
