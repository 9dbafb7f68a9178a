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

describe('doctor says of proxies', () => {
  const found = (env: NodeJS.ProcessEnv) =>
    examineNetwork(env, SETTINGS, ISSUER).find(({ subject }) => subject === 'Proxy')?.found;

  test('nothing where none is set', () => {
    expect(examineNetwork({ NO_PROXY: '*', HTTPS_PROXY: '' }, SETTINGS, ISSUER)).toEqual([]);
  });

  test('which calls go through which, and never a password', () => {
    const env = { HTTPS_PROXY: 'http://user:pass@proxy.corp:3128', NO_PROXY: '.internal.example' };
    expect(found(env)).toBe(
      'the payment service (default) through http://proxy.corp:3128 (HTTPS_PROXY); ' +
        'the payment service (local) directly; webhooks (shop) directly; ' +
        'the identity provider through http://proxy.corp:3128 (HTTPS_PROXY); ' +
        'Temporal by its own rules: clients through the first of grpc_proxy, https_proxy and http_proxy that is set, unless no_grpc_proxy or no_proxy names the host, all in lower case; workers directly',
    );
  });

  test('also where there are no settings yet', () => {
    expect(examineNetwork({ http_proxy: 'proxy:1' }, undefined, undefined)).toMatchObject([
      { subject: 'Proxy', ok: true },
    ]);
  });

  test('that one cannot be used, by its variable', () => {
    const findings = examineNetwork({ HTTPS_PROXY: 'socks5://user:pass@proxy:1080' }, SETTINGS, ISSUER);
    expect(findings).toMatchObject([
      { subject: 'HTTPS_PROXY', ok: false, found: 'must be the http or https URL of a proxy' },
    ]);
    expect(JSON.stringify(findings)).not.toContain('pass');
  });
});

describe('doctor says of certificate authorities', () => {
  const authorities = (content: string) => {
    const path = join(folder, 'authorities.pem');
    writeFileSync(path, content);
    return examineNetwork({ NODE_EXTRA_CA_CERTS: path }, undefined, undefined);
  };

  test('trusts a number of them, too', () => {
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
    ['is no PEM', 'certificates'],
    ['is damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ])('that Node ignores the file, where it %s', (_what, content) => {
    expect(authorities(content)).toMatchObject([{ subject: 'NODE_EXTRA_CA_CERTS', ok: false }]);
  });

  test('that Node ignores a file that is not there', () => {
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'none.pem') };
    expect(examineNetwork(env, undefined, undefined)).toMatchObject([{ ok: false }]);
  });

  test('that no certificate is checked', () => {
    expect(examineNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, undefined, undefined)).toMatchObject([
      { subject: 'NODE_TLS_REJECT_UNAUTHORIZED', ok: false },
    ]);
    expect(examineNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, undefined, undefined)).toEqual([]);
  });
});

describe('doctor asks the identity provider once', () => {
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

  test('and says that it answers', async () => {
    expect(await examined()).toEqual([
      { subject: 'Identity provider', ok: true, found: `${provider.issuer} answers under this name` },
    ]);
  });

  test('and says which two values differ', async () => {
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
    ['what it answers with', { html: true }, /answers 200 and text\/html/],
  ] as const)('and says %s', async (_what, lies, reason) => {
    provider.lies = lies;
    expect(await examined()).toMatchObject([{ ok: false, found: expect.stringMatching(reason) }]);
  });

  test.each([
    [3_600, /its clock is 3[56]\d\d s ahead of the clock of this machine/],
    [-3_600, /its clock is 36\d\d s behind the clock of this machine/],
  ])('and says that its clock is %i s apart', async (clockAheadS, found) => {
    provider.lies = { clockAheadS };
    expect(await examined()).toMatchObject([{ ok: false, found: expect.stringMatching(found) }]);
  });

  test('and says that it is not there', async () => {
    const env = { PAYSESSION_CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:2' };
    expect(await examined(env)).toMatchObject([
      { ok: false, found: 'ECONNREFUSED: the identity provider cannot be reached' },
    ]);
  });

  test('not if no one logs in there, and names what the console’s settings lack', async () => {
    const none = { PAYSESSION_CONSOLE_PUBLIC_URL: '', PAYSESSION_CONSOLE_OIDC_ISSUER: '' };
    expect(await examined(none)).toMatchObject([
      { subject: 'PAYSESSION_CONSOLE_OIDC_ISSUER', ok: false, found: expect.stringContaining('is missing') },
    ]);
    expect(await examined({ ...none, PAYSESSION_CONSOLE_OIDC_CLIENT_ID: '' })).toEqual([]);
  });
});
