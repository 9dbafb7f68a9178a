import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SCENARIOS } from '../../../sandbox';
import { FREE_PORTS, orderAt } from '../../support/cli/dev';
import { eft } from '../../support/requests';
import { modeOf, modesIn } from '../../support/rights';
import { until } from '../../support/wait';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';

const isRoot = process.getuid?.() === 0;

// Runs the command twice on the same data folder. The first run is killed, and the second is stopped with Ctrl-C.
test('the command dev runs all parts, continues the sessions of a run that was killed, stops all parts on Ctrl-C, and stores no payor’s name in Temporal', async () => {
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
        // The servers that dev has started stop by themselves.
        await until(
          () => fetch(ui).catch(() => 'gone'),
          (answer) => answer === 'gone',
        );
        continue;
      }
      // The shop has no memory of the first run: it has received the webhooks again.
      await headlined(shop + order, 'Your payment came back');
      expect(await dev.interrupt()).toBe(0);
      // The output counts polls, and has no line for a single poll.
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
    // The test had opened the folder to all users. The second run restricts it again.
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

/** Pays an order as its payor, and returns the id of its session at the payment service. */
async function payFor(orderUrl: string, control: string): Promise<string> {
  const id = /sessionId=([\w-]+)/.exec(await (await fetch(orderUrl)).text())?.[1] ?? '';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ choice: 'completed' });
  const answer = await fetch(`${control}/sessions/${id}/play`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  // The page does the same when the flow is over.
  await fetch(`${orderUrl}/refresh`, { method: 'POST' });
  return id;
}

/** Waits until an order's page receives a headline. */
async function headlined(orderUrl: string, headline: string): Promise<void> {
  const events = await fetch(`${orderUrl}/events`);
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? [])
    if (chunk.includes(`"headline":"${headline}"`)) return;
  throw new Error(`The page never received the headline ${headline}`);
}

test('the command sandbox prints its address in one line, and stops on Ctrl-C', async () => {
  const sandbox = startPaysession(['sandbox', '--port', '0']);
  const line = await sandbox.line(/listening/);
  expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${line.replace('listening on ', '')}/openapi.json`)).status).toBe(200);
  expect(await sandbox.interrupt()).toBe(0);
});

test('the command sandbox prints that it listens on all addresses if --host is 0.0.0.0', async () => {
  const sandbox = startPaysession(['sandbox', '--port', '0', '--host', '0.0.0.0']);
  expect(await sandbox.line(/listening/)).toMatch(
    /^listening on http:\/\/127\.0\.0\.1:\d+, and on all other addresses \(0\.0\.0\.0\)$/,
  );
  expect(await sandbox.interrupt()).toBe(0);
});

test('the command sandbox --scenarios lists every scenario', async () => {
  const { code, stdout } = await paysession(['sandbox', '--scenarios']);
  expect(code).toBe(0);
  for (const { id, summary } of SCENARIOS) expect(stdout).toContain(id.padEnd(26) + `  ${summary}`);
});
