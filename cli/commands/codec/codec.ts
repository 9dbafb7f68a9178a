import { isLoopbackHost } from '../../../src/contract/values/loopback';
import { encryptedDataConverter } from '../../../src/encryption';
import { SettingsError } from '../../../src/errors';
import { readCodecToken, readTemporalSettings, type Environment } from '../../../src/settings';
import { printLine, printProgress } from '../../shared/screen/output';
import { aborted, abortOnSignal } from '../../shared/run/until-signal';
import { warnOfExposedFiles } from '../../shared/run/settings-warnings';
import { anyOf, byOidc, byToken, type Authorize, type OidcOptions } from './authorize';
import { remoteCodec } from './remote-codec';
import { needOptionalPackages } from '../../../src/files';

export interface CodecFlags {
  readonly port: number;
  readonly host: string;
  readonly origin?: string;
  readonly allowEncode?: true;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: string;
  readonly oidcJwks?: string;
}

/** Serves the codec until Ctrl-C. */
export async function codec(flags: CodecFlags): Promise<void> {
  needOptionalPackages('The codec server', ['fastify']);
  const { encryption, namespace } = readTemporalSettings(process.env);
  if (encryption === undefined) throw new SettingsError([NO_KEYS]);
  const authorize = await authorizeOf(flags, process.env);
  if (authorize === undefined && !isLoopbackHost(flags.host)) throw new SettingsError([OPEN_TO_ALL]);
  const [payloadCodec] = encryptedDataConverter(encryption).payloadCodecs ?? [];
  if (payloadCodec === undefined) throw new TypeError('the converter has no codec');
  warnOfExposedFiles();
  const { serveCodec } = await import('./server.js');
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
  message: 'is missing: on any address other than 127.0.0.1, callers need a token; set one, or --oidc-issuer',
};

/** `undefined`: everybody on this machine is let in. */
async function authorizeOf(flags: CodecFlags, env: Environment): Promise<Authorize | undefined> {
  const token = readCodecToken(env);
  const oidc = oidcOf(flags);
  const ways = [
    ...(token === undefined ? [] : [byToken(token)]),
    ...(oidc === undefined ? [] : [await byOidc(oidc)]),
  ];
  return ways.length === 0 ? undefined : anyOf(ways);
}

/** All three or none: a token that is only checked in part lets in others than was meant. */
function oidcOf({ oidcIssuer, oidcAudience, oidcJwks }: CodecFlags): OidcOptions | undefined {
  const given = [oidcIssuer, oidcAudience, oidcJwks].filter((flag) => flag !== undefined);
  if (given.length === 0) return undefined;
  if (oidcIssuer === undefined || oidcAudience === undefined || oidcJwks === undefined)
    throw new SettingsError([
      { path: '--oidc-issuer, --oidc-audience, --oidc-jwks', message: 'go together: give all three' },
    ]);
  return { issuer: oidcIssuer, audience: oidcAudience, jwksUrl: oidcJwks };
}

const MOST_REASONS = 100;

/** Each reason once: a history has many payloads. */
function printOnce(): (reason: string) => void {
  const seen = new Set<string>();
  return (reason) => {
    if (seen.has(reason) || seen.size >= MOST_REASONS) return;
    seen.add(reason);
    printProgress(`warning: ${reason}`);
  };
}
