import { PATHS, TOKEN_LIFETIME_S } from '../../contract';
import { ServiceError } from '../../errors';
import { basicCredentials } from '../http/basic-credentials';
import { withinScope } from '../call-scope';
import { parsed, successJson } from '../http/exchange';
import { failureOf } from '../answers/failures';
import { readToken } from '../answers/reading';
import type { ServiceConfig } from '../options';
import type { Tell } from '../observer';
import type { Redactor } from '../redaction/redactor';
import type { Transport } from '../http/transport';

/** An access token and how long it lives (contract A3). */
export interface TokenGrant {
  readonly accessToken: string;
  readonly lifetimeMs: number;
  /** Milliseconds since the epoch, by the injected clock. */
  readonly expiresAtMs: number;
}

/** What an authorize is made with. */
export interface AuthorizeContext {
  readonly transport: Transport;
  readonly config: ServiceConfig;
  readonly redactor: Redactor;
  readonly tell: Tell;
}

/**
 * Exchanges the client's credentials for a token (contract A1–A5), within a time of its own.
 * Throws `ServiceError`; wrong credentials are `SERVICE_CREDENTIALS_REJECTED`.
 */
export async function authorize({
  transport,
  config,
  redactor,
  tell,
}: AuthorizeContext): Promise<TokenGrant> {
  // The token is as old as the request for it: the service may have issued it long before its answer arrived.
  const askedAtMs = config.clock();
  const exchange = await withinScope({ timeoutMs: config.callTimeoutMs }, (scope) =>
    transport.exchange(
      {
        call: 'authorize',
        method: 'POST',
        path: PATHS.authorize,
        headers: {
          authorization: `Basic ${basicCredentials(config.account)}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      },
      scope,
    ),
  );
  // Read before it is redacted, since the service may give out a token again that it gave out before.
  const grant = readGrant(successJson(parsed(exchange)), askedAtMs);
  if (grant === undefined) {
    const failure = failureOf(
      'authorize',
      redactor.exchange(exchange),
      config.now?.(),
      config.longestRetryAfterMs,
    );
    throw new ServiceError(failure);
  }
  redactor.learn(grant.accessToken);
  tell('tokenRenewed', {});
  return grant;
}

function readGrant(json: unknown, askedAtMs: number): TokenGrant | undefined {
  const token = readToken(json);
  // Anything but visible ASCII could not be sent back in a header.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token.accessToken)) return undefined;
  const lifetimeMs = (token.expiresInS ?? TOKEN_LIFETIME_S) * 1_000;
  return { accessToken: token.accessToken, lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}
