import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { newSigningKey, readSigningKey } from '../../../ledger/log/signed-note';
import { eft, leftOpen } from '../../support/requests';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { until } from '../../support/wait';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env, run, requestFile } = useSandbox();

describe('a command prints a clear message for', () => {
  test('an invalid request: the message lists every invalid field, and no session starts', async () => {
    const key = newKey();
    const request = { ...eft(), amount: 0, direction: 'CREDIT', payor: { firstName: 'Avery' } };
    const { code, stderr } = await paysession(['start', '--key', key, '--request', '-'], {
      env,
      stdin: JSON.stringify(request),
    });
    expect(code).toBe(2);
    for (const field of ['amount', 'direction', 'payor.lastName', 'payor.email'])
      expect(stderr).toContain(`request.${field}`);
    expect((await run('state', key)).code).toBe(3);
  });

  test.each([
    ['a policy with an unknown field', ['--policy', '{"deadlne":"2h"}'], 'did you mean deadline?'],
    ['a key with a line feed', ['--key', 'a\nb'], 'key must not contain control characters'],
    [
      'a policy that nests 50,000 levels deep',
      ['--policy', '['.repeat(50_000) + ']'.repeat(50_000)],
      'nest deeper',
    ],
  ])('%s', async (_name, args, message) => {
    const request = requestFile(eft());
    const { code, stderr } = await run('start', '--key', newKey(), '--request', request, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test.each([
    ['start --request', ['start', '--key', 'not-utf-8', '--request', '-']],
    ['start-many', ['start-many', '-']],
    ['ledger verify --since', ['ledger', 'verify', '--since', '-']],
  ])('standard input that is not UTF-8, read by %s', async (_name, args) => {
    const read = (stdin: Uint8Array) => paysession(args, { env, stdin });
    const latin1 = await read(Buffer.from('{"lastName":\n"B\xe9langer"}\n', 'latin1'));
    const utf16 = await read(Buffer.from('\ufeff{}', 'utf16le'));
    expect(latin1).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input is not UTF-8 in line 2: save it as UTF-8.'),
    });
    expect(utf16).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input is UTF-16') });
  });

  test('a misspelt field of the request', async () => {
    const misspelt = { ...eft(), amont: 25 };
    const request = requestFile(misspelt);
    const { code, stderr } = await run('start', '--key', newKey(), '--request', request);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/request\.amont .*did you mean amount\?/),
    });
  });

  test('a request that nests 50,000 levels deep, and for a request that is too large', async () => {
    const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
    const start = (stdin: string) =>
      paysession(['start', '--key', newKey(), '--request', '-'], { env, stdin });
    expect(await start(deep)).toMatchObject({ code: 2, stderr: expect.stringContaining('nest deeper') });
    const large = requestFile({ ...eft(), referenceId: 'x'.repeat(2_000_000) });
    const tooLarge = await run('start', '--key', newKey(), '--request', large);
    expect(tooLarge).toMatchObject({ code: 2, stderr: expect.stringContaining('too large') });
  });

  test.each(['state', 'history', 'watch', 'cancel', 'refresh'])(
    'an unknown key, passed to %s',
    async (command) => {
      const { code, stderr } = await run(command, 'no-such-key');
      expect(code).toBe(3);
      expect(stderr).toMatch(/^error SESSION_NOT_FOUND: .*no-such-key/);
      expect(stderr).toContain(
        `asked the Temporal server at ${env['TEMPORAL_ADDRESS']}, namespace "default".`,
      );
    },
  );

  test('a key that already belongs to another request', async () => {
    const key = newKey();
    await run('start', '--key', key, '--request', requestFile(eft('sandbox-completes')));
    const other = await run(
      'start',
      '--key',
      key,
      '--request',
      requestFile({ ...eft('sandbox-completes'), amount: 26 }),
    );
    expect(other).toMatchObject({ code: 4, stderr: expect.stringMatching(/^error SESSION_CONFLICT/) });
  });

  test('an option without effect: ledger migrate --environment without a role, and ledger keep --earlier-key without a key to sign', async () => {
    const ledger = { PAYSESSION_LEDGER_URL: 'postgres://127.0.0.1:1/ledger' };
    const migrate = ['ledger', 'migrate', '--environment', 'staging'];
    expect(await paysession(migrate, { env: ledger })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--environment needs --grant,'),
    });
    const signer = readSigningKey(newSigningKey('shop.example/ledger'));
    const keep = ['ledger', 'keep', '--earlier-key', signer?.verifierKey ?? ''];
    expect(await paysession(keep, { env: ledger })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--earlier-key needs PAYSESSION_LEDGER_SIGNING_KEY'),
    });
  });

  test('the options --open and --wait together', async () => {
    const both = await run('start', '--key', newKey(), '--request', requestFile(eft()), '--open', '--wait');
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used with option') });
  });

  test('wrong credentials', async () => {
    const taskQueue = `cli-${randomUUID()}`;
    const wrong = { ...env, PAYSESSION_TASK_QUEUE: taskQueue, PAYSESSION_CLIENT_SECRET: 'wrong' };
    const wrongWorker = startPaysession(['worker'], wrong);
    await wrongWorker.line(/^working/);
    const key = newKey();
    await paysession(['start', '--key', key, '--request', requestFile(leftOpen())], { env: wrong });
    await until(
      () => paysession(['state', key, '--json'], { env: wrong }),
      ({ stdout }) => stdout.includes('SERVICE_CREDENTIALS_REJECTED'),
    );
    for (const waiting of ['--wait', '--open']) {
      const args = ['start', '--key', key, '--request', requestFile(leftOpen()), waiting];
      const { code, stderr } = await paysession(args, { env: wrong });
      expect(code).toBe(6);
      expect(stderr).toMatch(/^error SERVICE_CREDENTIALS_REJECTED/);
      expect(stderr).not.toContain('wrong\n');
    }
    expect(await wrongWorker.interrupt()).toBe(0);
    const fixed = { ...env, PAYSESSION_TASK_QUEUE: taskQueue };
    const worker = startPaysession(['worker'], fixed);
    await worker.line(/^working/);
    const opened = ['start', '--key', key, '--request', requestFile(leftOpen()), '--open'];
    expect(await paysession(opened, { env: fixed })).toMatchObject({ code: 0 });
    expect(await paysession(['cancel', key], { env: fixed })).toMatchObject({ code: 0 });
    await worker.interrupt();
  });

  test('a Temporal server that does not answer', async () => {
    const { code, stderr } = await paysession(['state', 'any'], { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error TEMPORAL_UNAVAILABLE: .*127\.0\.0\.1:1 does not answer/);
  });

  test('a payment service that does not answer, and doctor prints the fix', async () => {
    const { code, stdout } = await paysession(['doctor'], {
      env: { ...env, PAYSESSION_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(code).toBe(5);
    expect(stdout).toMatch(/✘ Payment service \(default\): .*\n {4}Check the account’s base URL/);
  });

  test('a port in use', async () => {
    const { port } = new URL(env['PAYSESSION_BASE_URL'] ?? '');
    const { code, stderr } = await run('sandbox', '--port', port);
    expect(code).toBe(2);
    expect(stderr).toContain(`error PORT_IN_USE: Port ${port} is in use`);
  });

  test.each([
    ['start', '--key', 'k', '--request', 'no-such-file.json'],
    ['sandbox', '--clients', 'no-such-file.json'],
  ])('an unreadable file: %s', async (...args) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error INVALID_FILE: .*no-such-file\.json/);
  });

  test('missing or malformed settings: the message lists all of them', async () => {
    const missing = await paysession(['worker']);
    expect(missing.code).toBe(2);
    for (const name of ['PAYSESSION_BASE_URL', 'PAYSESSION_CLIENT_ID', 'PAYSESSION_CLIENT_SECRET']) {
      expect(missing.stderr).toContain(name);
    }
    const malformed = await paysession(['worker'], {
      env: { ...env, PAYSESSION_BASE_URL: 'ftp://x', TEMPORAL_ADDRESS: 'x' },
    });
    expect(malformed).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/TEMPORAL_ADDRESS.*PAYSESSION_BASE_URL/s),
    });
  });

  test('a misspelt setting: a worker does not start, and names the correct setting', async () => {
    const misspelt = { ...env, PAYSESSION_ENCRYPTON_KEYS: 'a-secret' };
    const { code, stderr } = await paysession(['worker'], { env: misspelt });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error INVALID_SETTINGS: .*PAYSESSION_ENCRYPTON_KEYS is not a setting; did you mean PAYSESSION_ENCRYPTION_KEYS\?/,
    );
    expect(stderr).not.toContain('a-secret');
    const doctor = await paysession(['doctor'], { env: misspelt });
    expect(doctor.code).toBe(5);
    expect(doctor.stdout).toMatch(/✘ PAYSESSION_ENCRYPTON_KEYS: .*PAYSESSION_ENCRYPTION_KEYS\?/);
  });

  test('an unknown namespace: a worker exits with a remedy', async () => {
    const { code, stderr } = await paysession(['worker'], {
      env: { ...env, TEMPORAL_NAMESPACE: 'no-such-namespace' },
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error TEMPORAL_REFUSED: .*no-such-namespace.* Check TEMPORAL_NAMESPACE/);
  });

  test('a missing accounts file: a worker names the setting to correct', async () => {
    const missing = { ...env, PAYSESSION_ACCOUNTS_FILE: '/no/such/accounts.json' };
    const { code, stderr } = await paysession(['worker'], { env: missing });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error INVALID_FILE: .*\/no\/such\/accounts\.json.*PAYSESSION_ACCOUNTS_FILE/);
  });

  test('an accounts file that every user can read: doctor warns, and does not report a failure', async () => {
    const path = requestFile(eft());
    const account = { baseUrl: env['PAYSESSION_BASE_URL'], clientId: 'c', clientSecret: 'a-file-secret' };
    writeFileSync(path, JSON.stringify({ accounts: { other: account } }));
    chmodSync(path, 0o644);
    const { stdout } = await paysession(['doctor'], { env: { ...env, PAYSESSION_ACCOUNTS_FILE: path } });
    expect(stdout).toMatch(/! PAYSESSION_ACCOUNTS_FILE: every user of this machine can read.*\n {4}.*chmod/);
    expect(stdout).not.toContain('a-file-secret');
  });

  test('a health port in use, or an address that this machine does not have', async () => {
    const { port } = new URL(env['PAYSESSION_BASE_URL'] ?? '');
    const inUse = await paysession(['worker'], { env: { ...env, PAYSESSION_HEALTH_PORT: port } });
    expect(inUse.code).toBe(2);
    expect(inUse.stderr).toMatch(
      new RegExp(`^error PORT_IN_USE: Port ${port} is in use.*PAYSESSION_HEALTH_PORT`),
    );
    const elsewhere = { PAYSESSION_HEALTH_PORT: '1025', PAYSESSION_HEALTH_HOST: '192.0.2.1' };
    const { code, stderr } = await paysession(['worker'], { env: { ...env, ...elsewhere } });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error INVALID_SETTINGS: .*PAYSESSION_HEALTH_HOST is not an address of this machine/,
    );
  });

  test('an unknown command or option', async () => {
    expect((await run('pay')).code).toBe(2);
    expect((await run('state', 'k', '--colour')).code).toBe(2);
    const misspelt = await run('start', '--key', 'k', '--requst', 'request.json');
    expect(misspelt).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean --request?') });
    const missing = await run('start', '--key', 'k');
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("required option '--request <file>' not specified"),
    });
  });
});
