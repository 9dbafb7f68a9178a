import type * as OpenIdClient from 'openid-client';
import type { ClientAuth, Configuration } from 'openid-client';
import { Refusal } from '../../http/refusal';
import type { OidcAccess } from '../access';

/** What an attempt to log in is known by when it comes back. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The claims of somebody who has logged in, as the provider signed them. */
export type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_SECONDS = 10;

/** An identity provider: authorization code with PKCE, state and nonce. What it publishes is read at the first login. */
export class Provider {
  readonly #options: OidcAccess;
  readonly redirectUri: string;
  #found: Promise<Configuration> | undefined;

  constructor(options: OidcAccess) {
    this.#options = options;
    this.redirectUri = `${options.publicUrl}/login/callback`;
  }

  /** Where to send a browser to log in. Throws `Refusal` where the provider does not answer. */
  async begin(): Promise<{ readonly url: string; readonly attempt: Attempt }> {
    const client = await import('openid-client');
    const configuration = await this.#configuration(client);
    const attempt = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.#options.scope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /** Who came back, with the query that the provider has sent them with. Throws what the client throws. */
  async finish(query: URLSearchParams, { state, nonce, codeVerifier }: Attempt): Promise<Claims> {
    const client = await import('openid-client');
    const configuration = await this.#configuration(client);
    const url = new URL(this.redirectUri);
    url.search = query.toString();
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    return tokens.claims() ?? {};
  }

  async #configuration(client: typeof OpenIdClient): Promise<Configuration> {
    this.#found ??= this.#discover(client);
    try {
      return await this.#found;
    } catch {
      // It may answer the next time.
      this.#found = undefined;
      throw new Refusal('providerUnavailable');
    }
  }

  #discover(client: typeof OpenIdClient): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    return client.discovery(url, clientId, undefined, authentication(client, clientSecret), {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // The signature of an id token is checked, also where the connection vouches for it.
        client.enableNonRepudiationChecks,
        // Settings allow plain http for a provider on this machine alone.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out, not to go
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }
}

/** As the provider says it wants to be told the secret; by the header, where it does not say. */
function authentication(client: typeof OpenIdClient, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const byHeader = client.ClientSecretBasic(secret);
  const byForm = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (ways.includes('client_secret_basic') ? byHeader : byForm)(server, ...rest);
  };
}
