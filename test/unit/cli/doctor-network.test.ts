import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { examineConsoleSettings, examineLogin } from '../../../cli/commands/doctor/login';
import { examineNetwork } from '../../../cli/commands/doctor/network';
import type { WorkerSettings } from '../../../src/settings';
import { TestProvider } from '../../support/console/access/provider';
import { withoutProxies } from '../../support/service/egress-proxy';

const environment = withoutProxies();
const folder = mkdtempSync(join(tmpdir(), 'paysession-doctor-'));

beforeEach(environment.clear);
afterEach(environment.restore);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const account = (baseUrl: string) => ({ baseUrl, clientId: 'c', clientSecret: 'a-client-secret' });
const SETTINGS = {
  accounts: { default: account('https://pay.example'), local: account('http://127.0.0.1:4010') },
  webhooks: {
    endpoints: [{ name: 'shop', url: 'https://shop.internal.example/webhooks', secrets: [] }],
    allowsLoopback: false,
  },
} as const satisfies Pick<WorkerSettings, 'accounts' | 'webhooks'>;
const ISSUER = 'https://login.example';

describe('doctor’s check of proxies', () => {
  const found = (env: NodeJS.ProcessEnv) =>
    examineNetwork(env, SETTINGS, ISSUER).find(({ subject }) => subject === 'Proxy')?.found;

  test('reports nothing if no proxy is set', () => {
    expect(examineNetwork({ NO_PROXY: '*', HTTPS_PROXY: '' }, SETTINGS, ISSUER)).toEqual([]);
  });

  test('reports which calls use which proxy, without the proxy’s password', () => {
    const env = { HTTPS_PROXY: 'http://user:pass@proxy.corp:3128', NO_PROXY: '.internal.example' };
    expect(found(env)).toBe(
      'the payment service (default) through http://proxy.corp:3128 (HTTPS_PROXY); ' +
        'the payment service (local) directly; webhooks (shop) directly; ' +
        'the identity provider through http://proxy.corp:3128 (HTTPS_PROXY); ' +
        'Temporal by its own rules: clients through the first of grpc_proxy, https_proxy and http_proxy that is set, unless no_grpc_proxy or no_proxy names the host, all in lower case; workers directly',
    );
  });

  test('reports proxies even if the settings are missing', () => {
    expect(examineNetwork({ http_proxy: 'proxy:1' }, undefined, undefined)).toMatchObject([
      { subject: 'Proxy', ok: true },
    ]);
  });

  test('reports an unusable proxy under the name of the variable that sets it', () => {
    const findings = examineNetwork({ HTTPS_PROXY: 'socks5://user:pass@proxy:1080' }, SETTINGS, ISSUER);
    expect(findings).toMatchObject([
      { subject: 'HTTPS_PROXY', ok: false, found: 'must be the http or https URL of a proxy' },
    ]);
    expect(JSON.stringify(findings)).not.toContain('pass');
  });
});

describe('doctor’s check of certificate authorities', () => {
  const authorities = (content: string) => {
    const path = join(folder, 'authorities.pem');
    writeFileSync(path, content);
    return examineNetwork({ NODE_EXTRA_CA_CERTS: path }, undefined, undefined);
  };

  test('reports the number of additional authorities', () => {
    expect(authorities(rootCertificates.slice(0, 2).join('\n'))).toMatchObject([
      {
        subject: 'NODE_EXTRA_CA_CERTS',
        ok: true,
        found: expect.stringMatching(/: 2 more authorities trusted$/),
      },
    ]);
  });

  test.each([
    ['is empty', ''],
    ['is not PEM', 'certificates'],
    ['is damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ])('reports that Node ignores a file that %s', (_what, content) => {
    expect(authorities(content)).toMatchObject([{ subject: 'NODE_EXTRA_CA_CERTS', ok: false }]);
  });

  test('reports that Node ignores a file that does not exist', () => {
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'none.pem') };
    expect(examineNetwork(env, undefined, undefined)).toMatchObject([{ ok: false }]);
  });

  test('reports that no certificate is checked', () => {
    expect(examineNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, undefined, undefined)).toMatchObject([
      { subject: 'NODE_TLS_REJECT_UNAUTHORIZED', ok: false },
    ]);
    expect(examineNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, undefined, undefined)).toEqual([]);
  });
});

describe('doctor’s check of the identity provider', () => {
  const provider = new TestProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  afterEach(() => {
    provider.lies = {};
  });

  const examined = async (more: NodeJS.ProcessEnv = {}) => {
    const { findings, oidc } = examineConsoleSettings({
      PAYSESSION_CONSOLE_PUBLIC_URL: 'https://payments.example',
      PAYSESSION_CONSOLE_OIDC_ISSUER: provider.issuer,
      PAYSESSION_CONSOLE_OIDC_CLIENT_ID: provider.clientId,
      ...more,
    });
    return [...findings, ...(await examineLogin(oidc))];
  };

  test('reports that the provider answers', async () => {
    expect(await examined()).toEqual([
      { subject: 'Identity provider', ok: true, found: `${provider.issuer} answers under this name` },
    ]);
  });

  test('reports the provider’s issuer and the configured issuer if they differ', async () => {
    provider.lies = { published: `${provider.issuer}/tenant/` };
    expect(await examined()).toMatchObject([
      {
        ok: false,
        found: expect.stringContaining(
          `issuer: "${provider.issuer}/tenant/" at the identity provider, "${provider.issuer}" here (PAYSESSION_CONSOLE_OIDC_ISSUER)`,
        ),
        fix: expect.stringContaining('PAYSESSION_CONSOLE_OIDC_ISSUER'),
      },
    ]);
  });

  test.each([
    ['the status', { status: 404 }, /answers 404/],
    ['the content type', { html: true }, /answers 200 and text\/html/],
  ] as const)('reports %s of a wrong answer', async (_what, lies, reason) => {
    provider.lies = lies;
    expect(await examined()).toMatchObject([{ ok: false, found: expect.stringMatching(reason) }]);
  });

  test.each([
    [3_600, /its clock is 3[56]\d\d s ahead of the clock of this machine/],
    [-3_600, /its clock is 36\d\d s behind the clock of this machine/],
  ])('reports that the provider’s clock differs by %i s', async (clockAheadS, found) => {
    provider.lies = { clockAheadS };
    expect(await examined()).toMatchObject([{ ok: false, found: expect.stringMatching(found) }]);
  });

  test('reports that the provider cannot be reached', async () => {
    const env = { PAYSESSION_CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:2' };
    expect(await examined(env)).toMatchObject([
      { ok: false, found: 'ECONNREFUSED: the identity provider cannot be reached' },
    ]);
  });

  test('is left out if no issuer is set; a missing issuer is reported if the client id is set', async () => {
    const none = { PAYSESSION_CONSOLE_PUBLIC_URL: '', PAYSESSION_CONSOLE_OIDC_ISSUER: '' };
    expect(await examined(none)).toMatchObject([
      { subject: 'PAYSESSION_CONSOLE_OIDC_ISSUER', ok: false, found: expect.stringContaining('is missing') },
    ]);
    expect(await examined({ ...none, PAYSESSION_CONSOLE_OIDC_CLIENT_ID: '' })).toEqual([]);
  });
});
