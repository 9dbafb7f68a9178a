import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { examine } from '../../../cli/commands/doctor/checks';
import { levelOf, type Finding } from '../../../cli/commands/doctor/finding';
import { LedgerDatabase } from '../../../ledger';
import { SECRET, startReceiver } from '../../support/ledger/webhooks/receiver';
import { recordOpened } from '../../support/ledger/webhooks/recorded';
import { closesLater, newDatabase, inEncoding, testLedger } from '../../support/ledger/test-ledger';
import { paysession } from '../../support/cli/run-paysession';
import { globalValue } from '../../support/setup/global-values';
import { cleanUp, localService } from '../../support/service/local-service';

const TEMPORAL = globalValue('PAYSESSION_TEST_TEMPORAL');

afterEach(cleanUp);

async function serviceFinding(env: NodeJS.ProcessEnv): Promise<Finding | undefined> {
  const account = { PAYSESSION_CLIENT_ID: 'client', PAYSESSION_CLIENT_SECRET: 'a-client-secret' };
  const findings = await examine({
    TEMPORAL_ADDRESS: TEMPORAL,
    ...account,
    ...env,
  });
  return findings.find(({ subject }) => subject === 'Payment service (default)');
}

describe('doctor', () => {
  test.each(['http://bank.invalid', 'http://sandbox.localhost:4010', 'http://10.0.0.7/pay'])(
    'refuses %s, which is http to another machine',
    async (baseUrl) => {
      expect(await serviceFinding({ PAYSESSION_BASE_URL: baseUrl })).toEqual({
        subject: 'Payment service (default)',
        ok: false,
        found: `${baseUrl} uses http: others could read the client secret`,
        fix: 'Use its https URL, or set PAYSESSION_ALLOW_HTTP=true if you control the network in between.',
      });
    },
  );

  test('calls an http service on this machine', async () => {
    const { baseUrl } = await localService({});
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = baseUrl.replace('127.0.0.1', host);
      expect(await serviceFinding({ PAYSESSION_BASE_URL: url })).toMatchObject({
        ok: true,
        found: `${url} accepts the credentials`,
      });
    }
  });

  test('reports an unknown namespace as a fault of the namespace, and reports that the Temporal server answers', async () => {
    const findings = await examine({ TEMPORAL_ADDRESS: TEMPORAL, TEMPORAL_NAMESPACE: 'no-such-namespace' });
    const ofTemporal = (name: string) => findings.find(({ subject }) => subject === `Temporal ${name}`);
    expect(ofTemporal('server')).toMatchObject({ ok: true });
    expect(ofTemporal('namespace')).toEqual({
      subject: 'Temporal namespace',
      ok: false,
      found: expect.stringContaining('no-such-namespace is not found'),
      fix: expect.stringContaining('Check TEMPORAL_NAMESPACE'),
    });
  });

  test('reports the severity of each finding to programs, with the commands that fix it', async () => {
    const env = {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PAYSESSION_BASE_URL: 'http://127.0.0.1:1',
      PAYSESSION_CLIENT_ID: 'client',
      PAYSESSION_CLIENT_SECRET: 'a-client-secret',
    };
    const { code, stdout } = await paysession(['doctor', '--json'], { env });
    expect(code).toBe(5);
    const findings = JSON.parse(stdout) as readonly (Finding & { readonly level: string })[];
    const reported = findings.map(({ subject, level, commands }) => ({ subject, level, commands }));
    expect(reported).toContainEqual({ subject: 'Node', level: 'ok' });
    expect(reported).toContainEqual({
      subject: 'Temporal server',
      level: 'fault',
      commands: ['paysession dev'],
    });
    expect(reported).toContainEqual({
      subject: 'Payment service (default)',
      level: 'fault',
      commands: ['paysession sandbox --port 1'],
    });
    const text = (await paysession(['doctor'], { env })).stdout;
    expect(text).toMatch(/^✘ Temporal server: .*\n {4}.*\n {4}\$ paysession dev$/m);
    const { stdout: noted } = await paysession(['doctor', '--json'], { env: { TEMPORAL_ADDRESS: TEMPORAL } });
    expect(JSON.parse(noted)).toContainEqual(expect.objectContaining({ level: 'note' }));
  });

  test('calls an http service on another machine if http is allowed', async () => {
    const env = { PAYSESSION_BASE_URL: 'http://bank.invalid', PAYSESSION_ALLOW_HTTP: '1' };
    expect(await serviceFinding(env)).toMatchObject({
      ok: false,
      found: expect.stringContaining('nothing was sent (ENOTFOUND)'),
    });
  });

  test('reports the version and the encoding of the ledger’s server', async () => {
    const { url, database } = await testLedger();
    const [{ version } = { version: '' }] = await database.query<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    const findings = await examine({ TEMPORAL_ADDRESS: TEMPORAL, PAYSESSION_LEDGER_URL: url });
    expect(findings).toContainEqual({
      subject: 'Ledger’s server',
      ok: true,
      found: `PostgreSQL ${version}, in UTF-8`,
    });
  });

  test('reports each thing that is wrong with the ledger’s server, with its fix', async () => {
    const { url, database } = await testLedger();
    const query = database.query.bind(database);
    const asStandby = { isStandby: true, risks: ['fsync = off'] };
    const spy = jest
      .spyOn(LedgerDatabase.prototype, 'query')
      .mockImplementation(async <T extends object>(...statement: Parameters<typeof query>) => {
        const rows = await query<T>(...statement);
        return rows.map((row) => ('isStandby' in row ? { ...row, ...asStandby } : row));
      });
    closesLater(() => {
      spy.mockRestore();
      return Promise.resolve();
    });
    const findings = await examine({ TEMPORAL_ADDRESS: TEMPORAL, PAYSESSION_LEDGER_URL: url });
    expect(findings.find(({ subject }) => subject === 'Ledger’s server')).toMatchObject({
      ok: false,
      found: expect.stringMatching(/; fsync = off; a standby$/),
      fix: expect.stringMatching(/primary server.* switch on what is off/),
    });
  });

  test('reports a ledger database that is not in UTF-8, with its fix', async () => {
    const url = await newDatabase(inEncoding('LATIN1'));
    const findings = await examine({ TEMPORAL_ADDRESS: TEMPORAL, PAYSESSION_LEDGER_URL: url });
    expect(findings.find(({ subject }) => subject === 'Ledger')).toMatchObject({
      ok: false,
      found: 'The ledger’s database is in LATIN1 and not in UTF-8.',
      fix: expect.stringContaining('create database paysession encoding UTF8 template template0'),
    });
  });

  test('lists the calls that go through a proxy', async () => {
    const found = (
      await examine({
        TEMPORAL_ADDRESS: TEMPORAL,
        PAYSESSION_BASE_URL: 'https://pay.invalid',
        PAYSESSION_CLIENT_ID: 'client',
        PAYSESSION_CLIENT_SECRET: 'a-client-secret',
        HTTPS_PROXY: 'http://proxy.invalid:3128',
      })
    ).find(({ subject }) => subject === 'Proxy');
    expect(found).toMatchObject({
      ok: true,
      found: expect.stringContaining(
        'the payment service (default) through http://proxy.invalid:3128 (HTTPS_PROXY)',
      ),
    });
  });

  test('reports the state of each webhook endpoint from the ledger, and calls no endpoint', async () => {
    const { url, ledger, database } = await testLedger();
    const bodies: string[] = [];
    const { name: _own, ...endpoint } = (await startReceiver({}, (body) => bodies.push(body))).endpoint;
    await ledger.webhookEndpoints.register(
      ['well', 'lossy', 'down', 'gone'].map((name) => ({ name, ...endpoint })),
    );
    for (const key of ['order-1', 'order-2']) await recordOpened(ledger, key);
    await database.query("delete from paysession_ledger.webhook_outbox where endpoint in ('well', 'down')");
    await database.query(
      "update paysession_ledger.webhook_outbox set missed_from = 2, due_at = 'infinity' where endpoint = 'lossy'",
    );
    await ledger.webhookEndpoints.answered('down', { outcome: 'HTTP 503' });
    await ledger.webhookEndpoints.refusesAll('down');
    await ledger.webhookEndpoints.refusesAll('gone', { isGone: true });
    const endpoints = { well: endpoint, lossy: endpoint, down: endpoint, gone: endpoint, new: endpoint };
    const folder = mkdtempSync(join(tmpdir(), 'paysession-doctor-'));
    closesLater(() => rm(folder, { recursive: true }));
    const file = join(folder, 'endpoints.json');
    writeFileSync(file, JSON.stringify({ endpoints }));
    const findings = await examine({
      TEMPORAL_ADDRESS: TEMPORAL,
      PAYSESSION_LEDGER_URL: url,
      PAYSESSION_WEBHOOK_FILE: file,
      PAYSESSION_WEBHOOK_LOOPBACK: 'true',
    });
    const reported = findings
      .filter(({ subject }) => subject.startsWith('Webhooks ('))
      .map((finding) => [finding.subject, levelOf(finding), finding.found, finding.commands]);
    const since = (what: string) =>
      expect.stringMatching(new RegExp(`^${what.replace('SINCE', 'since [^ ]+Z')}$`));
    expect(reported).toEqual([
      ['Webhooks (well)', 'ok', 'receives webhooks; sessions with webhooks that wait: 0', undefined],
      [
        'Webhooks (lossy)',
        'note',
        'receives webhooks; sessions with webhooks that were given up: 2',
        ['paysession webhooks replay --endpoint lossy'],
      ],
      [
        'Webhooks (down)',
        'fault',
        since('refuses all SINCE \\(HTTP 503\\); sessions with webhooks that wait: 0'),
        undefined,
      ],
      [
        'Webhooks (gone)',
        'fault',
        since('is given up SINCE; sessions with webhooks that wait: 2'),
        ['paysession webhooks replay --endpoint gone'],
      ],
      [
        'Webhooks (new)',
        'note',
        'has no sender; sessions with webhooks that wait: 0',
        ['paysession webhooks send'],
      ],
    ]);
    expect(bodies).toEqual([]);
  });

  test.each([
    [
      'https://hooks.example/services/T0/hunter2?token=hunter2',
      'https://hooks.example (the rest is not shown)',
    ],
    ['https://sam:hunter2@hooks.example/', undefined],
    ['hunter2', undefined],
  ])('prints at most the origin of the webhook URL %s', async (url, found) => {
    const findings = await examine({ TEMPORAL_ADDRESS: TEMPORAL, PAYSESSION_WEBHOOK_URL: url });
    expect(JSON.stringify(findings)).not.toContain('hunter2');
    if (found !== undefined)
      expect(findings).toContainEqual({ subject: 'PAYSESSION_WEBHOOK_URL', ok: true, found });
  });

  test('notes that the connection to a ledger on another machine is not protected, although that ledger does not answer', async () => {
    const findings = await examine({
      TEMPORAL_ADDRESS: TEMPORAL,
      PAYSESSION_LEDGER_URL: 'postgresql://me:secret@db.invalid/paysession',
    });
    expect(findings.filter(({ subject }) => subject.startsWith('Ledger'))).toMatchObject([
      { subject: 'Ledger', ok: false },
      { subject: 'Ledger’s connection', ok: true, fix: expect.stringContaining('?sslmode=verify-full') },
    ]);
  });

  test('reports a webhook URL without a ledger as a fault', async () => {
    const findings = await examine({
      PAYSESSION_WEBHOOK_URL: 'https://shop.example/webhooks',
      PAYSESSION_WEBHOOK_SECRET: SECRET,
    });
    expect(findings).toContainEqual(
      expect.objectContaining({
        subject: 'PAYSESSION_WEBHOOK_URL',
        ok: false,
        found: expect.stringContaining('ledger'),
      }),
    );
  });
});
