import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FREE_PORTS, orderAt } from '../../support/cli/dev';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';

test('the command dev exits 0 on Ctrl-C, although more pages of its shop are connected than it can serve', async () => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  const dev = startPaysession(['dev', '--data', data, ...FREE_PORTS]);
  try {
    const shop = (await dev.line(/^shop/)).split(/\s+/)[1] ?? '';
    await dev.line(/^Ctrl-C/);
    const events = `${shop}${await orderAt(shop)}/events`;
    const answers = await Promise.all(Array.from({ length: 230 }, () => fetch(events)));
    const streams = answers.filter(({ status }) => status === 200);
    expect([streams.length, answers.filter(({ status }) => status === 503).length]).toEqual([200, 30]);
    const readers = streams.map(({ body }) => body?.getReader());
    for (const reader of readers) expect((await reader?.read())?.done).toBe(false);
    expect(await dev.interrupt()).toBe(0);
    expect(dev.errors()).toMatch(/^Using the Temporal server .*\nStopping …\n$/);
  } finally {
    await dev.end();
    rmSync(data, { recursive: true });
  }
});

test('the command dev names a port that is in use, and stops the servers that it has started', async () => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const ports = [...FREE_PORTS, '--shop-port', String(port)];
    const { code, stderr } = await paysession(['dev', '--data', data, ...ports]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error PORT_IN_USE: Port ${port}`)]);
  } finally {
    other.close();
    rmSync(data, { recursive: true });
  }
});

test('the command dev can use a running Temporal server and free ports, serves metrics, and prints export lines for other terminals', async () => {
  const folders = ['one', 'two'].map(() => mkdtempSync(join(tmpdir(), 'paysession-dev-')));
  const [first = '', second = ''] = folders;
  const settings = join(second, 'temporal.toml');
  const profile = [
    '[profile.default]',
    'address = "cloud.example:7233"',
    'namespace = "payments"',
    'api_key = "key"',
  ];
  writeFileSync(settings, profile.join('\n'));
  const env = { TEMPORAL_CONFIG_FILE: settings };
  const one = startPaysession(['dev', '--data', first, '--no-ledger', ...FREE_PORTS], env);
  let two: Running | undefined;
  try {
    const address = (await one.line(/^Temporal/)).split(/\s+/)[1] ?? '';
    const set = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default', TEMPORAL_TLS: 'false' };
    const pairs = Object.entries(set).map(([name, value]) => `${name}=${value}`);
    expect(await one.line(/^export /)).toBe(`export ${pairs.join(' ')}`);
    await one.line(/^Ctrl-C/);
    const beside = ['--address', address, '--metrics-port', '0', '--free-ports'];
    two = startPaysession(['dev', '--data', second, '--no-ledger', ...beside]);
    expect((await two.line(/^Temporal/)).split(/\s+/)[1]).toBe(address);
    expect(await two.line(/^web UI/)).toBe('web UI   none');
    const metrics = (await two.line(/^metrics/)).split(/\s+/)[1] ?? '';
    await two.line(/^Ctrl-C/);
    expect(await (await fetch(metrics)).text()).toContain('temporal_num_pollers');
    expect(await two.interrupt()).toBe(0);
    // The Temporal server still runs: a dev that uses a running server does not stop it.
    expect((await paysession(['list'], { env: { ...env, ...set } })).code).toBe(0);
  } finally {
    await two?.end();
    await one.end();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
});

test.each([
  {
    what: 'a Temporal server that does not answer',
    args: ['--address', '127.0.0.1:1', '--free-ports'],
    code: 5,
    message: /^error TEMPORAL_UNAVAILABLE: The Temporal server at 127\.0\.0\.1:1 does not answer\./m,
  },
  {
    what: 'a data folder that cannot be made',
    args: [...FREE_PORTS, '--data', join(__filename, 'data')],
    code: 2,
    message: /^error INVALID_FILE: The data folder \S+ cannot be opened \(ENOTDIR\)\. Choose a folder/m,
  },
])('the command dev fails with one message for $what', async ({ args, code, message }) => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  try {
    const done = await paysession(['dev', '--no-ledger', '--data', data, ...args]);
    expect([done.code, done.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(done.stderr).not.toContain('    at ');
  } finally {
    rmSync(data, { recursive: true });
  }
});
