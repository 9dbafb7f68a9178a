import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSandboxClients } from '../../../sandbox';
import { createProgram } from '../../../cli/program';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { sandboxOptionsOf } from '../../../cli/commands/sandbox';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-sandbox-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the command sandbox', () => {
  test('passes the value of every flag to the sandbox’s option', () => {
    expect(
      optionsOf(
        '--data dir --pace 5 --public-url https://pay.example/ --allow-host a.example --allow-host b.example --frame-ancestors https://a.example https://b.example ' +
          '--no-consent --max-login-attempts 5 --fail-without-guarantee --token-lifetime 30s --idle-expiry 2m ' +
          '--absolute-expiry 1h --rate-limit 7 --rate-window 500ms --retry-after http-date --cancel-ended-status 409 ' +
          '--cancel-unsigned --max-sessions 9',
      ),
    ).toEqual({
      dataDir: 'dir',
      paceMs: 5,
      publicUrl: 'https://pay.example',
      allowedHosts: ['a.example', 'b.example'],
      frameAncestors: ['https://a.example', 'https://b.example'],
      consentByDefault: false,
      maxLoginAttempts: 5,
      failWithoutGuarantee: true,
      tokenLifetimeMs: 30_000,
      idleExpiryMs: 120_000,
      absoluteExpiryMs: 3_600_000,
      rateLimitRequests: 7,
      rateLimitWindowMs: 500,
      retryAfterForm: 'http-date',
      cancelEndedStatus: 409,
      cancellableWhileUnsigned: true,
      maxSessions: 9,
    });
  });

  test('passes no option if the flag is missing, so the default applies', () => {
    expect(optionsOf('')).toEqual({ paceMs: 1_000, consentByDefault: true });
  });

  test.each([
    ['--pace', '0', 'must be a whole number from 1 to 3600000.'],
    ['--max-login-attempts', '1e2', 'must be a whole number from 1 to 100.'],
    ['--idle-expiry', '15', 'must be a duration from 1ms to 365d, such as 500ms, 90s, 15m or 24h.'],
    ['--token-lifetime', '400d', 'must be a duration from 1ms to 365d, such as 500ms, 90s, 15m or 24h.'],
    ['--public-url', 'pay.example', 'must be an http or https URL, such as https://pay.example.'],
    ['--rate-limit', '-1', 'must be a whole number from 1 to 1000000.'],
    ['--retry-after', 'minutes', 'Allowed choices are seconds, http-date.'],
    ['--cancel-ended-status', '404', 'must be 400 or 409.'],
  ])('refuses %s %s with one clear message', async (flag, value, message) => {
    const { code, stdout, stderr } = await paysession(['sandbox', flag, value]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')[0]).toMatch(
      new RegExp(`^error: option '${flag} .*argument '${value}' is invalid\\.`),
    );
    expect(stderr.split('\n')[0]).toContain(message);
  });

  test('refuses --frame-ancestors with a source that is not allowed', async () => {
    const { code, stderr } = await paysession(['sandbox', '--port', '0', '--frame-ancestors', 'shop; x']);
    expect([code, stderr]).toEqual([
      2,
      'error INVALID_SETTINGS: The sites that may embed the hosted flow are given as https://shop.example, or * for all; "shop; x" is not allowed.\n',
    ]);
  });

  test('refuses an address that this machine does not have, with a remedy', async () => {
    const { code, stderr } = await paysession(['sandbox', '--port', '0', '--host', '192.0.2.1']);
    expect([code, stderr]).toEqual([
      2,
      'error INVALID_SETTINGS: The sandbox cannot listen on 192.0.2.1 (EADDRNOTAVAIL). Choose an address of this machine, such as 127.0.0.1 or 0.0.0.0.\n',
    ]);
  });

  test('refuses a data folder that is in use or that has other files, with a remedy', async () => {
    const data = join(folder, 'data');
    const first = startPaysession(['sandbox', '--port', '0', '--data', data]);
    await first.line(/listening/);
    const second = await paysession(['sandbox', '--port', '0', '--data', data]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`error FOLDER_IN_USE: The data folder ${data} is in use by another`);
    expect(second.stderr).toContain('Choose another folder (`--data`)');
    expect(await first.interrupt()).toBe(0);
    writeFileSync(join(folder, 'notes.txt'), '');
    const third = await paysession(['sandbox', '--port', '0', '--data', folder]);
    expect([third.code, third.stderr.split(' ')[1]]).toEqual([2, 'INVALID_FILE:']);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('makes files that only their owner can use, also those that its store makes later', async () => {
    const sandbox = startPaysession(['sandbox', '--port', '0', '--data', join(folder, 'data')]);
    await sandbox.line(/^listening/);
    const status = readFileSync(`/proc/${sandbox.child.pid}/status`, 'utf8');
    expect(status).toMatch(/^Umask:\s+0077$/m);
    expect(await sandbox.interrupt()).toBe(0);
  });

  test('opens a control port only with --control-port', async () => {
    const plain = startPaysession(['sandbox', '--port', '0']);
    await plain.line(/^listening/);
    expect(await plain.interrupt()).toBe(0);
    await expect(plain.line(/^control on/)).rejects.toThrow('ended without a line');
    const sandbox = startPaysession(['sandbox', '--port', '0', '--control-port', '0']);
    const url = (await sandbox.line(/^control on/)).replace('control on ', '');
    expect((await fetch(`${url}/clock`)).status).toBe(200);
    const asked = ['sandbox', 'reconciliation', '--day', '2026-05-06', '--control-port', new URL(url).port];
    const head = 'reference,session,amount,currency,date,kind,code\r\n';
    expect(await paysession(asked)).toEqual({ code: 0, stdout: head, stderr: '' });
    expect(await sandbox.interrupt()).toBe(0);
    expect(await paysession(asked)).toMatchObject({ code: 5, stderr: expect.stringContaining('No sandbox') });
    expect(await paysession(asked.slice(0, 2))).toMatchObject({ code: 2 });
  });

  test('refuses a flag before the command reconciliation, where it would have no effect', async () => {
    const line = ['sandbox', '--control-port', '4011', 'reconciliation', '--day', '2026-05-06'];
    expect(await paysession(line)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('give --control-port after reconciliation'),
    });
  });

  test('shows examples with --help', async () => {
    const { stdout } = await paysession(['sandbox', '--help']);
    expect(stdout).toContain('$ paysession sandbox --port 4010 --pace 500 --data .paysession/sandbox');
  });
});

/** Returns the sandbox options into which the command translates its arguments. */
function optionsOf(args: string) {
  const command = createProgram().commands.find((candidate) => candidate.name() === 'sandbox');
  if (command === undefined) throw new Error('there is no command sandbox');
  command.parseOptions(args.split(' ').filter((arg) => arg !== ''));
  return sandboxOptionsOf(command.opts(), loadSandboxClients);
}
