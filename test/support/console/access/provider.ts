import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';

/** Claims in a person's id token, in addition to the usual ones. */
export type PersonClaims = Readonly<Record<string, unknown>>;

/** Faults of an OpenID provider, or of an attacker who imitates one. */
export interface Lies {
  readonly nonce?: string;
  readonly audience?: string;
  readonly issuer?: string;
  /** True if the provider signs with a key that it has not published. */
  readonly otherKey?: true;
  readonly expired?: true;
  /** True if its tokens become valid only in an hour, as if the clocks of provider and console differed. */
  readonly early?: true;
  /** The issuer in the published metadata, if it should be a wrong one. */
  readonly published?: string;
  /** The HTTP status of the answer with the metadata. */
  readonly status?: number;
  /** True if it answers with an HTML page in place of the metadata. */
  readonly html?: true;
  /** The number of seconds by which the provider’s clock is ahead. */
  readonly clockAheadS?: number;
}

interface Code {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** A small OpenID provider on this machine. A person is already logged in there, so it redirects their browser back at once. */
export class TestProvider {
  person: PersonClaims = {};
  lies: Lies = {};
  readonly clientId = 'console';
  readonly clientSecret = randomBytes(12).toString('hex');
  readonly #codes = new Map<string, Code>();
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  #keys: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey } | undefined;

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.#keys = await generateKeyPair('ES256');
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /**
   * Answers the request of a browser that the console has redirected to the provider. Returns the URL of the redirect back.
   */
  logIn(authorizationUrl: string): string {
    const { searchParams: query } = new URL(authorizationUrl);
    const param = (name: string) => query.get(name) ?? '';
    if (param('client_id') !== this.clientId || param('response_type') !== 'code')
      throw new Error('no request for a code by this client');
    if (param('code_challenge_method') !== 'S256') throw new Error('no PKCE');
    const code = randomBytes(12).toString('hex');
    const redirectUri = param('redirect_uri');
    this.#codes.set(code, { challenge: param('code_challenge'), nonce: param('nonce'), redirectUri });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: param('state') }).toString();
    return back.href;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration') {
      const { status = 200, html, clockAheadS = 0 } = this.lies;
      response.setHeader('date', new Date(Date.now() + clockAheadS * 1_000).toUTCString());
      if (html) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
      return void send(status, this.#metadata());
    }
    if (request.url?.startsWith('/authorize?') === true)
      return void response.writeHead(303, { location: this.logIn(this.issuer + request.url) }).end();
    if (request.url === '/keys')
      return void send(200, { keys: [{ ...(await this.#publicJwk()), kid: 'one' }] });
    const form = new URLSearchParams((await buffer(request)).toString());
    const code = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const isClient = request.headers.authorization === basic(this.clientId, this.clientSecret);
    const isProven = code !== undefined && challengeOf(form.get('code_verifier') ?? '') === code.challenge;
    if (!isClient) return void send(401, { error: 'invalid_client', error_description: 'secret of nobody' });
    if (!isProven || form.get('redirect_uri') !== code.redirectUri)
      return void send(400, { error: 'invalid_grant' });
    const idToken = await this.#idToken(code);
    send(200, { access_token: 'unused', token_type: 'Bearer', id_token: idToken });
  }

  #metadata() {
    const { issuer } = this;
    return {
      issuer: this.lies.published ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  async #idToken({ nonce }: Code): Promise<string> {
    const { lies } = this;
    const key = lies.otherKey ? (await generateKeyPair('ES256')).privateKey : this.#pair().privateKey;
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT({ sub: 'person-1', nonce: lies.nonce ?? nonce, ...this.person })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(lies.issuer ?? this.issuer)
      .setAudience(lies.audience ?? this.clientId)
      .setIssuedAt(lies.expired ? now - 7_200 : now)
      .setExpirationTime(lies.expired ? now - 3_600 : now + 300 + (lies.early ? 3_600 : 0))
      .setNotBefore(lies.early ? now + 3_600 : now - 3_600)
      .sign(key);
  }

  #publicJwk() {
    return exportJWK(this.#pair().publicKey);
  }

  #pair() {
    if (this.#keys === undefined) throw new Error('the provider has not started');
    return this.#keys;
  }
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
