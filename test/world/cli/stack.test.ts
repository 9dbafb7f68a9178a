import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SCENARIOS } from '../../../sandbox';
import { eft } from '../../support/requests';
import { modeOf, modesIn } from '../../support/rights';
import { until } from '../../support/wait';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';
import { SCENES } from '../../../cli/commands/demo';

const isRoot = process.getuid?.() === 0;

const FREE_PORTS = ['temporal', 'ui', 'sandbox', 'control', 'shop', 'console'].flatMap((name) => [
  `--${name}-port`,
  '0',
]);

interface Performance {
  readonly key: string;
  readonly asExpected: boolean;
  readonly inLedger: boolean;
  readonly stateHistory: readonly object[];
}

test('demo plays every scene to its expected end, has all ends in a ledger of its own, and exits 0', async () => {
  // One that is set is left alone.
  const env = { PAYSESSION_LEDGER_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const { code, stdout } = await paysession(['demo', '--json'], { env });
  expect(code).toBe(0);
  const performances = JSON.parse(stdout) as Performance[];
  expect(performances.map(({ key, asExpected, inLedger }) => [key, asExpected, inLedger])).toEqual(
    SCENES.map(({ key }) => [key, true, true]),
  );
  expect(performances.every(({ stateHistory }) => stateHistory.length >= 2)).toBe(true);
});

test('dev runs Temporal server, ledger, sandbox, worker, shop and console, whose shop has webhooks, keeps sessions on all sides when it is killed, and leaves nothing behind, nor a name in the Temporal server’s database', async () => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  const args = ['dev', '--data', data, ...FREE_PORTS];
  const sessionIds: unknown[] = [];
  let order = '';
  let dev: Running | undefined;
  const keys = {
    PAYSESSION_ENCRYPTION: 'required',
    PAYSESSION_ENCRYPTION_KEYS: `dev:${randomBytes(32).toString('base64')}`,
  };
  try {
    for (const run of ['first', 'second']) {
      chmodSync(data, 0o755);
      dev = startPaysession(args, keys);
      const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
      const ui = (await dev.line(/^web UI/)).split(/\s+/)[2] ?? '';
      const sandbox = (await dev.line(/^sandbox/)).split(/\s+/)[1] ?? '';
      const control = (await dev.line(/^control/)).split(/\s+/)[1] ?? '';
      const shop = (await dev.line(/^shop/)).split(/\s+/)[1] ?? '';
      const console = (await dev.line(/^console/)).split(/\s+/)[1] ?? '';
      const ledger = (await dev.line(/^ledger/)).split(/\s+/)[1] ?? '';
      await dev.line(/^Ctrl-C/);
      expect(await (await fetch(console)).text()).toContain('paysession');
      expect((await fetch(ui)).status).toBe(200);
      expect((await fetch(`${sandbox}/openapi.json`)).status).toBe(200);
      expect(await (await fetch(shop)).text()).toContain('Desk lamp');
      const env = { TEMPORAL_ADDRESS: address, ...keys };
      const started = await paysession(['start', '--key', 'kept', '--request', '-', '--open', '--json'], {
        env,
        stdin: JSON.stringify(eft()),
      });
      expect([run, started.code, started.stderr]).toEqual([run, 0, '']);
      const { checkoutUrl } = JSON.parse(started.stdout) as { checkoutUrl: string };
      const sessionId = new URL(checkoutUrl).searchParams.get('sessionId');
      const answer = await fetch(`${sandbox}/api/v2/sessions/${sessionId}/status`);
      expect([run, ((await answer.json()) as { status: string }).status]).toEqual([run, 'Initiated']);
      sessionIds.push(sessionId);
      const listed = await paysession(['ledger', 'list', '--jsonl'], {
        env: { PAYSESSION_LEDGER_URL: ledger },
      });
      expect([run, listed.stdout.match(/"key":"kept"/g)]).toEqual([run, ['"key":"kept"']]);
      if (run === 'first') {
        order = await orderAt(shop);
        const id = await payFor(shop + order, control);
        await headlined(shop + order, 'Paid. Thank you!');
        const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
        const days = [`${id},25.00,${today},settled,`, `${id},25.00,${today},returned,NSF`];
        const stdin = ['session,amount,date,kind,code', ...days, ''].join('\n');
        await paysession(['reconcile', '-'], { env: { PAYSESSION_LEDGER_URL: ledger }, stdin });
        await dev.line(/^shop {2}shop-lamp-\w+: the payment came back \(NSF\)\. Do not deliver\.$/);
        await dev.line(/^\d{4}-\S+Z {2}kept {2}Initiated EFT0101 {2}\$25\.00$/);
        dev.child.kill('SIGKILL');
        // Its servers stop by themselves.
        await until(
          () => fetch(ui).catch(() => 'gone'),
          (answer) => answer === 'gone',
        );
        continue;
      }
      // The shop has heard it again.
      await headlined(shop + order, 'Your payment came back');
      expect(await dev.interrupt()).toBe(0);
      // Polls are counted, and none has a line of its own.
      expect(dev.output()).toMatch(/^\d+ polls?$/m);
      expect(dev.output()).not.toMatch(/\/(details|status) 200/);
      await expect(fetch(sandbox)).rejects.toThrow();
      await expect(fetch(ui)).rejects.toThrow();
      await expect(fetch(shop)).rejects.toThrow();
      await expect(fetch(console)).rejects.toThrow();
    }
    expect(sessionIds[1]).toBe(sessionIds[0]);
    const stored = readdirSync(data).filter((name) => name.startsWith('temporal.db'));
    for (const name of stored) expect(readFileSync(join(data, name)).includes('Tremblay')).toBe(false);
    if (process.platform === 'win32') return;
    // The second run knows the folder as its own.
    expect({ data: modeOf(data), ...modesIn(data) }).toMatchObject({
      data: isRoot ? '711' : '700',
      'temporal.db': '600',
      ledger: '700',
      sandbox: '700',
    });
  } finally {
    await dev?.end();
    rmSync(data, { recursive: true });
  }
});

test('dev with more open pages of the shop than it serves stops on Ctrl-C without a word, and exits 0', async () => {
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

/** Orders a lamp, and gives the path of the order's page. */
async function orderAt(shop: string): Promise<string> {
  const form = await (await fetch(`${shop}/buy/lamp`)).text();
  const body = new URLSearchParams({ method: 'debit', comeBack: 'messages' });
  for (const [, name = '', value = ''] of form.matchAll(/name="(\w+)"[^>]* value="([^"]*)"/g)) {
    if (!body.has(name)) body.set(name, value);
  }
  const answer = await fetch(`${shop}/buy/lamp`, { method: 'POST', body, redirect: 'manual' });
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}

/** Plays the payor of an order, and gives the payment service's id of its session. */
async function payFor(orderUrl: string, control: string): Promise<string> {
  const id = /sessionId=([\w-]+)/.exec(await (await fetch(orderUrl)).text())?.[1] ?? '';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ choice: 'completed' });
  const answer = await fetch(`${control}/sessions/${id}/play`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  // As the page does when the flow is over.
  await fetch(`${orderUrl}/refresh`, { method: 'POST' });
  return id;
}

/** Waits until an order's page receives a headline. */
async function headlined(orderUrl: string, headline: string): Promise<void> {
  const events = await fetch(`${orderUrl}/events`);
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? [])
    if (chunk.includes(`"headline":"${headline}"`)) return;
  throw new Error(`The page was never told: ${headline}`);
}

test('dev says which port is in use, and stops what it has started', async () => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const free = [
      '--temporal-port',
      '0',
      '--ui-port',
      '0',
      '--sandbox-port',
      '0',
      '--console-port',
      '0',
      '--control-port',
      '0',
    ];
    const { code, stderr } = await paysession(['dev', '--data', data, ...free, '--shop-port', String(port)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error PORT_IN_USE: Port ${port}`)]);
  } finally {
    other.close();
    rmSync(data, { recursive: true });
  }
});

test('dev uses a running Temporal server, takes free ports, serves metrics, and prints the exports for other terminals', async () => {
  const folders = ['one', 'two'].map(() => mkdtempSync(join(tmpdir(), 'paysession-dev-')));
  const [first = '', second = ''] = folders;
  const one = startPaysession(['dev', '--data', first, '--no-ledger', ...FREE_PORTS]);
  let two: Running | undefined;
  try {
    const address = (await one.line(/^Temporal/)).split(/\s+/)[1] ?? '';
    expect(await one.line(/^export/)).toBe(`export TEMPORAL_ADDRESS=${address}`);
    await one.line(/^Ctrl-C/);
    const beside = ['--address', address, '--metrics-port', '0', '--free-ports'];
    two = startPaysession(['dev', '--data', second, '--no-ledger', ...beside]);
    expect((await two.line(/^Temporal/)).split(/\s+/)[1]).toBe(address);
    expect(await two.line(/^web UI/)).toBe('web UI   none');
    const metrics = (await two.line(/^metrics/)).split(/\s+/)[1] ?? '';
    await two.line(/^Ctrl-C/);
    expect(await (await fetch(metrics)).text()).toContain('temporal_num_pollers');
    expect(await two.interrupt()).toBe(0);
    // The server is not its own to stop.
    expect((await paysession(['list'], { env: { TEMPORAL_ADDRESS: address } })).code).toBe(0);
  } finally {
    await two?.end();
    await one.end();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
});

test.each([
  {
    what: 'a Temporal server that does not answer',
    args: ['--address', '127.0.0.1:1'],
    code: 5,
    message: /^error TEMPORAL_UNAVAILABLE: The Temporal server at 127\.0\.0\.1:1 does not answer\./m,
  },
  {
    what: 'a data folder that cannot be made',
    args: ['--data', join(__filename, 'data')],
    code: 2,
    message: /^error INVALID_FILE: The data folder \S+ cannot be opened \(ENOTDIR\)\. Choose a folder/m,
  },
])('dev names $what in one message', async ({ args, code, message }) => {
  const data = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  try {
    const done = await paysession(['dev', '--no-ledger', '--data', data, ...FREE_PORTS, ...args]);
    expect([done.code, done.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(done.stderr).not.toContain('    at ');
  } finally {
    rmSync(data, { recursive: true });
  }
});

test('sandbox says where it listens, in one line, and stops on Ctrl-C', async () => {
  const sandbox = startPaysession(['sandbox', '--port', '0']);
  const line = await sandbox.line(/listening/);
  expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${line.replace('listening on ', '')}/openapi.json`)).status).toBe(200);
  expect(await sandbox.interrupt()).toBe(0);
});

test('sandbox says so where it listens on all addresses', async () => {
  const sandbox = startPaysession(['sandbox', '--port', '0', '--host', '0.0.0.0']);
  expect(await sandbox.line(/listening/)).toMatch(
    /^listening on http:\/\/127\.0\.0\.1:\d+, and on all other addresses \(0\.0\.0\.0\)$/,
  );
  expect(await sandbox.interrupt()).toBe(0);
});

test('sandbox --scenarios lists every scenario', async () => {
  const { code, stdout } = await paysession(['sandbox', '--scenarios']);
  expect(code).toBe(0);
  for (const { id, summary } of SCENARIOS) expect(stdout).toContain(id.padEnd(26) + `  ${summary}`);
});
