import { InvalidArgumentError, type Command } from 'commander';
import type { FetchImplementation } from 'jose';
import { isLoopbackHost } from '../../src/contract/values/loopback';
import { SettingsError } from '../../src/errors';
import { printLine, printWarning } from '../shared/output';
import { webUrl, parsePort } from '../shared/parse-arguments';
import { aborted, abortOnSignal } from '../shared/until-signal';
import type { Authorize } from './codec-server';
import { isSameSecret } from '../../src/web/guards';
import { needOptionalPackages } from '../../src/files';

const DEFAULT_PORT = 8234;

export function registerCodec(program: Command): void {
  program
    .command('codec')
    .description('decrypt payloads for Temporal’s UI and command line until Ctrl-C')
    .option('--port <n>', 'port to listen on', parsePort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; other addresses require authentication', '127.0.0.1')
    .option(
      '--origin <url>',
      'origin of the web page that may call the server, such as https://temporal.example (default: none)',
      origin,
    )
    .option('--allow-encode', 'also encrypt, so that Temporal’s command line can start and signal workflows')
    .option('--oidc-issuer <url>', 'accept tokens from this OpenID Connect issuer', issuer)
    .option('--oidc-audience <name>', 'the audience that these tokens must have')
    .option('--oidc-jwks <url>', 'where the issuer publishes its keys', webUrl)
    .addHelpText(
      'after',
      '\nPAYSESSION_CODEC_TOKEN or PAYSESSION_CODEC_TOKEN_FILE sets the bearer token that callers must send.\n' +
        '\nExamples:\n  $ paysession codec --origin http://localhost:8233' +
        '\n  $ temporal workflow show --workflow-id payment-session/order-1042 --codec-endpoint http://127.0.0.1:8234',
    )
    .action(codec);
}

/** Checks that a text is an origin, as a browser sends it: scheme, host and port. */
function origin(text: string): string {
  const url = webUrl(text);
  if (new URL(url).origin === url) return url;
  throw new InvalidArgumentError('must be only scheme, host and port, such as https://temporal.example.');
}

/** Checks the URL of an issuer, and returns it unchanged. Tokens name the issuer in exactly this form, often with a slash at its end. */
function issuer(text: string): string {
  webUrl(text);
  return text;
}

interface CodecFlags {
  readonly port: number;
  readonly host: string;
  readonly origin?: string;
  readonly allowEncode?: true;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: string;
  readonly oidcJwks?: string;
}

/** Serves the codec until Ctrl-C. */
async function codec(flags: CodecFlags): Promise<void> {
  needOptionalPackages('The codec server', ['fastify']);
  const { readCodecToken, readTemporalSettings } = await import('../../src/settings/index.js');
  const { encryption, namespace } = readTemporalSettings(process.env);
  if (encryption === undefined) throw new SettingsError([NO_KEYS]);
  const authorize = await authorizeOf(flags, readCodecToken(process.env));
  if (authorize === undefined && !isLoopbackHost(flags.host)) throw new SettingsError([OPEN_TO_ALL]);
  const { encryptedDataConverter } = await import('../../src/encryption/index.js');
  const [payloadCodec] = encryptedDataConverter(encryption).payloadCodecs ?? [];
  if (payloadCodec === undefined) throw new TypeError('the converter has no codec');
  const { warnOfExposedFiles } = await import('../shared/settings-warnings.js');
  warnOfExposedFiles();
  const { remoteCodec, serveCodec } = await import('./codec-server.js');
  const signal = abortOnSignal();
  const server = await serveCodec({
    codec: remoteCodec(payloadCodec, namespace, printOnce()),
    host: flags.host,
    port: flags.port,
    namespace,
    ...(flags.origin !== undefined && { origin: flags.origin }),
    ...(authorize !== undefined && { authorize }),
    allowEncode: flags.allowEncode === true,
  });
  try {
    printLine(`listening on ${server.url} for the namespace ${namespace}`);
    await aborted(signal);
  } finally {
    await server.close();
  }
}

const NO_KEYS = {
  path: 'PAYSESSION_ENCRYPTION_KEYS',
  message: 'is missing: without the keys of the workers there is nothing to decrypt with',
};

const OPEN_TO_ALL = {
  path: 'PAYSESSION_CODEC_TOKEN',
  message:
    'is missing: on an address that other machines reach, callers need a token; set one, or --oidc-issuer',
};

/**
 * Returns the function that checks a caller's token. A token is accepted if it is the token that all callers share, or a valid token of the issuer.
 * Returns `undefined` if neither is set. All programs on this machine are then allowed. The comparison with the shared token always takes the same
 * time.
 */
async function authorizeOf(flags: CodecFlags, shared: string | undefined): Promise<Authorize | undefined> {
  const byOidc = await oidcOf(flags);
  if (shared === undefined) return byOidc;
  return async (token) => isSameSecret(shared, token) || (await byOidc?.(token)) === true;
}

const MOST_REASONS = 100;

/** Returns a function that prints each different reason once, and at most `MOST_REASONS` reasons. Many payloads of a history have the same reason. */
function printOnce(): (reason: string) => void {
  const seen = new Set<string>();
  return (reason) => {
    if (seen.has(reason) || seen.size >= MOST_REASONS) return;
    seen.add(reason);
    printWarning(reason);
  };
}

/**
 * The accepted algorithms. With these, only the issuer can sign. Algorithms with a shared secret are refused, because each server that verifies
 * tokens could also sign them.
 */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * Returns the function that checks tokens of an OpenID Connect issuer. A token must be signed with the issuer's keys, be for this audience, and not be
 * expired. If only some of the three options are set, throws `SettingsError`, because an incomplete check would allow too many callers. Throws
 * `MissingPackagesError` if a package is missing.
 */
async function oidcOf(flags: CodecFlags): Promise<Authorize | undefined> {
  const { oidcIssuer: issuer, oidcAudience: audience, oidcJwks: jwks } = flags;
  if (issuer === undefined && audience === undefined && jwks === undefined) return undefined;
  if (issuer === undefined || audience === undefined || jwks === undefined)
    throw new SettingsError([
      { path: '--oidc-issuer, --oidc-audience, --oidc-jwks', message: 'go together: give all three' },
    ]);
  needOptionalPackages('The check of OpenID Connect tokens', ['jose']);
  const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose');
  const keys = createRemoteJWKSet(new URL(jwks), { [customFetch]: await fetchKeys(new URL(jwks)) });
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

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Returns a function that fetches an issuer's keys. It uses the configured proxy, if there is one, and prints each reason for a failure once. Throws
 * `SettingsError` if the proxy's URL is invalid.
 */
async function fetchKeys(jwks: URL): Promise<FetchImplementation> {
  const { ProxyDispatchers } = await import('../../src/service/http/connections.js');
  const proxies = new ProxyDispatchers({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  proxies.for(jwks);
  const print = printOnce();
  return async (url, { headers, signal }) => {
    const own = { headers: Object.fromEntries(headers), redirect: 'manual', signal };
    try {
      const answer = await proxies.fetch(url, own);
      if (answer.status !== 200)
        print(`The URL of --oidc-jwks answered HTTP ${answer.status}. Tokens of the issuer are refused.`);
      return answer;
    } catch (error) {
      print('The URL of --oidc-jwks does not answer. Tokens of the issuer are refused.');
      throw error;
    }
  };
}
