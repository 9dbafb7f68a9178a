import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingsError } from '../../../src/errors';
import { proxyFor } from '../../../src/service/http/connections';
import type { WorkerSettings } from '../../../src/settings';
import { counted } from '../../shared/output';
import type { Finding } from './finding';

type Environment = NodeJS.ProcessEnv;
type Called = Pick<WorkerSettings, 'accounts' | 'webhooks'>;

/** Checks the network settings in the environment: proxies, certificate authorities, and a setting that turns the check of certificates off. */
export function examineNetwork(
  env: Environment,
  settings: Called | undefined,
  issuer: string | undefined,
): readonly Finding[] {
  return [...examineProxies(env, settings, issuer), ...examineAuthorities(env), ...examineChecks(env)];
}

const PROXY_NAMES = ['grpc_proxy', 'https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Reports which calls use a proxy. Temporal's packages interpret the proxy variables differently than paysession. */
function examineProxies(
  env: Environment,
  settings: Called | undefined,
  issuer: string | undefined,
): readonly Finding[] {
  if (PROXY_NAMES.every((name) => (env[name] ?? '') === '')) return [];
  const subject = 'Proxy';
  const called = [
    ...Object.entries(settings?.accounts ?? {}).map(
      ([name, { baseUrl }]) => [`the payment service (${name})`, baseUrl] as const,
    ),
    ...(settings?.webhooks?.endpoints ?? []).map(({ name, url }) => [`webhooks (${name})`, url] as const),
    ...(issuer === undefined ? [] : [['the identity provider', issuer] as const]),
  ];
  try {
    const ways = called.map(([what, url]) => [what, proxyFor(new URL(url), env)] as const);
    const found = ways.map(([what, proxy]) =>
      proxy === undefined ? `${what} directly` : `${what} through ${proxy.url.origin} (${proxy.variable})`,
    );
    const ofTemporal =
      'Temporal by its own rules: clients through the first of grpc_proxy, https_proxy and http_proxy that is set, unless no_grpc_proxy or no_proxy names the host, all in lower case; workers directly';
    return [{ subject, ok: true, found: [...found, ofTemporal].join('; ') }];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.failures.map(({ path, message }) => ({
      subject: path,
      ok: false,
      found: message,
      fix: `Correct ${path}, or name the hosts that need no proxy in NO_PROXY.`,
    }));
  }
}

const AUTHORITIES = 'NODE_EXTRA_CA_CERTS';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Checks the file of certificate authorities. If Node cannot read the file, it only prints a warning and continues without the file. */
function examineAuthorities(env: Environment): readonly Finding[] {
  const path = env[AUTHORITIES] ?? '';
  if (path === '') return [];
  try {
    const texts = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
    const trusted = texts.map((text) => new X509Certificate(text).subject);
    if (trusted.length > 0)
      return [
        {
          subject: AUTHORITIES,
          ok: true,
          found: `${path}: ${counted(trusted.length, 'more authority', 'more authorities')} trusted`,
        },
      ];
  } catch {
    // The finding below reports the error.
  }
  return [
    {
      subject: AUTHORITIES,
      ok: false,
      found: `${path} holds no certificates that can be read: Node ignores it`,
      fix: 'Name a file of certificate authorities in PEM form. Node reads the file when the process starts.',
    },
  ];
}

const CHECKS = 'NODE_TLS_REJECT_UNAUTHORIZED';

function examineChecks(env: Environment): readonly Finding[] {
  if (env[CHECKS] !== '0') return [];
  return [
    {
      subject: CHECKS,
      ok: false,
      found: '0: no certificate is checked, so that anyone in between can read the client secret',
      fix: `Unset it. To trust authorities of your own, set ${AUTHORITIES} to a file that holds them.`,
    },
  ];
}
