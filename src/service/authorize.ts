import { PATHS, readToken, TOKEN_LIFETIME_S } from '../contract';
import { ServiceError } from '../errors';
import { withinScope } from './call-scope';
import { successJson } from './exchange';
import { failureOf } from './failures';
import type { ServiceConfig } from './options';
import type { TokenGrant } from './token-source';
import type { Transport } from './transport';

/**
 * Exchanges the client's credentials for a token (contract A1–A5), within a time of its own.
 * Throws `ServiceError`; wrong credentials are `SERVICE_CREDENTIALS_REJECTED`.
 */
export async function authorize(transport: Transport, config: ServiceConfig): Promise<TokenGrant> {
  // The token is as old as the request for it: the service may have issued it long before its answer arrived.
  const askedAtMs = config.now();
  const exchange = await withinScope({ timeoutMs: config.callTimeoutMs }, (scope) =>
    transport.exchange(
      {
        method: 'POST',
        path: PATHS.authorize,
        headers: {
          authorization: basicAuthorization(config),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      },
      scope,
    ),
  );
  const grant = readGrant(successJson(exchange), askedAtMs);
  if (grant === undefined)
    throw new ServiceError(failureOf('authorize', exchange, config.now(), config.longestRetryAfterMs));
  return grant;
}

function basicAuthorization({ account }: ServiceConfig): string {
  const credentials = Buffer.from(`${account.clientId}:${account.clientSecret}`, 'utf8');
  return `Basic ${credentials.toString('base64')}`;
}

function readGrant(json: unknown, askedAtMs: number): TokenGrant | undefined {
  const token = readToken(json);
  // Anything but visible ASCII could not be sent back in a header.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token.accessToken)) return undefined;
  const lifetimeMs = (token.expiresInS ?? TOKEN_LIFETIME_S) * 1_000;
  return { accessToken: token.accessToken, lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}
