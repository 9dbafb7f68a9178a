import { afterEach, describe, expect, test } from '@jest/globals';
import { examine } from '../../cli/commands/doctor/checks';
import type { Finding } from '../../cli/commands/doctor/finding';
import { paysession } from './support';
import { cleanUp, localService } from '../service/support/local-service';

afterEach(cleanUp);

async function serviceFinding(env: NodeJS.ProcessEnv): Promise<Finding | undefined> {
  const account = { PAYSESSION_CLIENT_ID: 'client', PAYSESSION_CLIENT_SECRET: 'a-client-secret' };
  const findings = await examine({
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_ENGINE'],
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

  test('asks an http service of this machine', async () => {
    const { baseUrl } = await localService({});
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = baseUrl.replace('127.0.0.1', host);
      expect(await serviceFinding({ PAYSESSION_BASE_URL: url })).toMatchObject({
        ok: true,
        found: `${url} accepts the credentials`,
      });
    }
  });

  test('tells programs how bad each finding is, and the commands that mend it', async () => {
    const env = {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PAYSESSION_BASE_URL: 'http://127.0.0.1:1',
      PAYSESSION_CLIENT_ID: 'client',
      PAYSESSION_CLIENT_SECRET: 'a-client-secret',
    };
    const { code, stdout } = await paysession(['doctor', '--json'], { env });
    expect(code).toBe(5);
    const findings = JSON.parse(stdout) as readonly (Finding & { readonly level: string })[];
    const told = findings.map(({ subject, level, commands }) => ({ subject, level, commands }));
    expect(told).toContainEqual({ subject: 'Node', level: 'ok' });
    expect(told).toContainEqual({ subject: 'Temporal server', level: 'fault', commands: ['paysession dev'] });
    expect(told).toContainEqual({
      subject: 'Payment service (default)',
      level: 'fault',
      commands: ['paysession sandbox --port 1'],
    });
    const text = (await paysession(['doctor'], { env })).stdout;
    expect(text).toMatch(/^✘ Temporal server: .*\n {4}.*\n {4}\$ paysession dev$/m);
    const { stdout: noted } = await paysession(['doctor', '--json']);
    expect(JSON.parse(noted)).toContainEqual(expect.objectContaining({ level: 'note' }));
  });

  test('asks an http service elsewhere when http is allowed', async () => {
    const env = { PAYSESSION_BASE_URL: 'http://bank.invalid', PAYSESSION_ALLOW_HTTP: '1' };
    expect(await serviceFinding(env)).toMatchObject({
      ok: false,
      found: expect.stringContaining('nothing was sent (ENOTFOUND)'),
    });
  });
});
