import type * as OpenIdClient from 'openid-client';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import type { OidcAccess } from './access';
import { providerFault, refusalOf } from './provider-fault';
import { ProxyDispatchers } from '../../src/service/http/connections';
import { answeredAtMs } from '../../src/service/http/headers';

/** The values that identify a login attempt when the browser comes back. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The claims of a person who has logged in, as the provider signed them. */
export type Claims = Readonly<Record<string, unknown>>;

const TIMEOUT_SECONDS = 10;

/** Options of a provider. */
export type ProviderOptions = Pick<
  OidcAccess,
  'issuer' | 'publicUrl' | 'clientId' | 'clientSecret' | 'scope'
>;

/**
 * An identity provider. A login uses the authorization code flow with PKCE, state and nonce. The provider's metadata is read at the first
 * login and then kept.
 */
export class Provider {
  readonly #options: ProviderOptions;
  readonly redirectUri: string;
  readonly #proxies = new ProxyDispatchers({ connect: { timeout: TIMEOUT_SECONDS * 1_000 } });
  #found: Promise<Configuration> | undefined;
  #clockAheadMs: number | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.redirectUri = `${options.publicUrl}/login/callback`;
  }

  /**
   * Begins a login attempt. The browser has to open the returned URL. Throws `Refusal`, caused by a `ProviderFault`, if the provider's
   * metadata cannot be used.
   */
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

  /**
   * Completes a login with the query that the browser brings back from the provider. Throws `Refusal`, caused by a `ProviderFault`, if the
   * provider does not answer or refuses the login, or if its answer cannot be verified.
   */
  async finish(query: URLSearchParams, { state, nonce, codeVerifier }: Attempt): Promise<Claims> {
    const client = await import('openid-client');
    const configuration = await this.#configuration(client);
    const url = new URL(this.redirectUri);
    url.search = query.toString();
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    };
    try {
      return (await client.authorizationCodeGrant(configuration, url, checks)).claims() ?? {};
    } catch (error) {
      throw refusalOf(providerFault(error, this.#options));
    }
  }

  /**
   * Requests the metadata, as the first login does, and compares the provider's clock with this machine's. Throws the same errors as
   * `begin`.
   */
  async check(): Promise<{ readonly clockAheadMs: number | undefined }> {
    await this.#configuration(await import('openid-client'));
    return { clockAheadMs: this.#clockAheadMs };
  }

  async #configuration(client: typeof OpenIdClient): Promise<Configuration> {
    this.#found ??= this.#discover(client);
    try {
      return await this.#found;
    } catch (error) {
      // The next request may succeed.
      this.#found = undefined;
      throw refusalOf(providerFault(error, this.#options), 'providerUnavailable');
    }
  }

  /** Fetches through the configured proxies. Records how far the provider's clock is ahead of this machine's. */
  readonly #fetch: CustomFetch = async (url, options) => {
    const answer = await this.#proxies.fetch(url, options);
    const date = answer.headers.get('date');
    if (date !== null) this.#clockAheadMs = answeredAtMs(date) - Date.now();
    return answer;
  };

  #discover(client: typeof OpenIdClient): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    return client.discovery(url, clientId, undefined, authentication(client, clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [client.customFetch]: this.#fetch,
      execute: [
        // Verifies the signature of the id token, although the https connection already authenticates the provider.
        client.enableNonRepudiationChecks,
        // Settings allow plain http only for a provider on this machine.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated as a warning, not to be removed
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }
}

/** Returns the way in which the client sends its secret: in a header if the provider supports it, or else in the form. */
function authentication(client: typeof OpenIdClient, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const byHeader = client.ClientSecretBasic(secret);
  const byForm = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (ways.includes('client_secret_basic') ? byHeader : byForm)(server, ...rest);
  };
}
