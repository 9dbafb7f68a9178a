import { createHash, timingSafeEqual } from 'node:crypto';
import { needOptionalPackages } from '../../../src/files';

/** Whether a request’s bearer token lets it in. */
export type Authorize = (token: string) => Promise<boolean>;

/** How OpenID Connect tokens are checked. */
export interface OidcOptions {
  /** The `iss` that tokens must have. */
  readonly issuer: string;
  /** The `aud` that tokens must have. */
  readonly audience: string;
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: string;
}

/** One token that all callers share. The comparison takes as long whatever was sent. */
export function byToken(expected: string): Authorize {
  const wanted = digest(expected);
  return (token) => Promise.resolve(timingSafeEqual(digest(token), wanted));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Signatures that the issuer alone can make: with a shared secret, whoever checks could sign as well. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Tokens of an identity provider: signed with its keys, not expired, for this audience. Throws `MissingPackagesError`. */
export async function byOidc({ issuer, audience, jwksUrl }: OidcOptions): Promise<Authorize> {
  needOptionalPackages('The check of OpenID Connect tokens', ['jose']);
  const { createRemoteJWKSet, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  return async (token) => {
    try {
      await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: '5s',
      });
      return true;
    } catch {
      return false;
    }
  };
}

/** Lets in whoever one of them lets in. */
export function anyOf(ways: readonly Authorize[]): Authorize {
  return async (token) => (await Promise.all(ways.map((way) => way(token)))).includes(true);
}
