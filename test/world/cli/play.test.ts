import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testLedger } from '../../support/ledger/test-ledger';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { sandbox, env, run, requestFile } = useSandbox();
let worker: Running;
let control: readonly string[];

beforeAll(async () => {
  const { port } = await sandbox.listenControl();
  control = ['--control-port', String(port)];
  worker = startPaysession(['worker'], env);
  await worker.line(/^working for default/);
});

afterAll(async () => {
  expect(await worker.interrupt()).toBe(0);
});

/** Opens a session that is polled once an hour. Its payor does nothing until the command play acts. */
async function open(by = env): Promise<string> {
  const key = newKey();
  const policy = ['--policy', '{"fastestPoll":"1h","slowestPoll":"1h"}'];
  const start = ['start', '--key', key, '--request', requestFile(eft('by-hand')), '--open', ...policy];
  const opened = await paysession(start, { env: by });
  expect(opened.code).toBe(0);
  return key;
}

describe('the command play', () => {
  test('acts as the payor step by step, and the session is polled after each step', async () => {
    const key = await open();
    const play = (what: string) => run('play', key, what, ...control);
    expect(await play('signs')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('not validated yet'),
    });
    expect(await play('awaits-signature')).toMatchObject({
      code: 0,
      stdout: `in the sandbox: Completed EFT0302\n${key}: Completed EFT0302, not paid\n`,
    });
    // Without --control-port, the command learns the port from the sandbox.
    expect((await run('play', key, 'signs')).stdout).toContain(`${key}: Completed EFT0301, paid`);
    expect(await play('expires')).toMatchObject({ code: 4, stderr: expect.stringContaining('has ended') });
  });

  test.each([
    ['completes', 'Completed'],
    ['login-fails', 'Failed'],
    ['identity-fails', 'Failed'],
    ['lacks-funds', 'Failed'],
    ['cancels', 'Cancelled'],
    ['expires', 'Expired'],
  ])('%s ends the session as %s', async (what, status) => {
    const { code, stdout } = await run('play', await open(), what, ...control, '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status, phase: 'ended' }]);
  });

  test('fails with a remedy if no control port answers, and for an unknown key or action', async () => {
    const key = await open();
    expect(await run('play', key, 'completes', '--control-port', '1')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/127\.0\.0\.1:1\b.*--control-port/s),
    });
    expect((await run('play', 'no-such-key', 'completes', ...control)).code).toBe(3);
    expect(await run('play', key, 'complets', ...control)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('completes'),
    });
    expect((await run('cancel', key)).code).toBe(0);
  });

  test('settles and returns a payment: the ledger records both, as it does from a reconciliation file', async () => {
    const { url, ledger } = await testLedger();
    const withLedger = { ...env, PAYSESSION_LEDGER_URL: url, PAYSESSION_TASK_QUEUE: `ledger-${newKey()}` };
    const recording = startPaysession(['worker'], withLedger);
    await recording.line(/^working for default/);
    const key = await open(withLedger);
    const play = (...what: string[]) => paysession(['play', key, ...what, ...control], { env: withLedger });
    expect(await play('settles')).toMatchObject({ code: 4, stderr: expect.stringContaining('is not paid') });
    await play('completes');
    await until(
      () => ledger.entriesOf(key),
      (entries) => entries.some(({ fact }) => fact.kind === 'ended'),
    );
    const settled = await play('settles', '--json');
    expect(settled.code).toBe(0);
    expect(JSON.parse(settled.stdout)).toMatchObject([
      { outcome: 'recorded', key, kind: 'settled', date: expect.any(String), amount: 25 },
    ]);
    expect(await play('returns', '905')).toMatchObject({
      code: 0,
      stdout:
        `${key}: settled had been recorded in the ledger before\n` +
        `${key}: returned recorded in the ledger\n`,
    });
    const facts = (await ledger.entriesOf(key)).map(({ fact }) => fact);
    expect(facts.slice(-2)).toMatchObject([
      { kind: 'settled', amount: 25 },
      { kind: 'returned', code: '905' },
    ]);
    expect(await play('completes', '905')).toMatchObject({ code: 2 });
    expect(await run('play', key, 'settles', ...control)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('PAYSESSION_LEDGER_URL'),
    });
    expect(await recording.interrupt()).toBe(0);
  });
});

describe('the command open', () => {
  test('prints the checkout page’s address if there is no browser', async () => {
    const key = await open();
    const nowhere = { ...env, BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' };
    const opened = await paysession(['open', key], { env: nowhere });
    expect(opened).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http.*\/app\/\?sessionId=\S+\n$/),
    });
    const missing = await paysession(['open', key], { env: { ...nowhere, BROWSER: '/no/such/browser' } });
    expect(missing).toEqual(opened);
    expect((await run('open', 'no-such-key')).code).toBe(3);
    expect((await run('cancel', key)).code).toBe(0);
  });

  test('opens the checkout page in the browser', async () => {
    const key = await open();
    const folder = mkdtempSync(join(tmpdir(), 'paysession-open-'));
    try {
      const browser = join(folder, 'browser');
      writeFileSync(
        browser,
        `#!/bin/sh\nprintf %s "$1" > "${folder}/part"\nmv "${folder}/part" "${folder}/seen"\n`,
      );
      chmodSync(browser, 0o755);
      const { stdout } = await paysession(['open', key], { env: { ...env, BROWSER: browser } });
      const seen = await until(
        () => readFile(join(folder, 'seen'), 'utf8').catch(() => ''),
        (text) => text !== '',
      );
      expect(`${seen}\n`).toBe(stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect((await run('cancel', key)).code).toBe(0);
  });
});
