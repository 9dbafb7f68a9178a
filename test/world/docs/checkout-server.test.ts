import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPaysession, type Running } from '../../support/cli/run-paysession';
import { filesOf, linkPackages } from '../../support/docs/snippets';

const PAGE = 'docs/guides/checkout-page.md';
const FREE_PORTS = ['engine', 'ui', 'sandbox', 'control', 'shop', 'console'].flatMap((name) => [
  `--${name}-port`,
  '0',
]);

/** A project with the guide's files. */
let project: string;
let dev: Running;
let address: string;
let control: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'paysession-checkout-'));
  linkPackages(project, ['@temporalio', 'fastify']);
  for (const [name, text] of filesOf(PAGE)) writeFileSync(join(project, name), text);
  dev = startPaysession(['dev', '--no-ledger', '--data', join(project, '.paysession'), ...FREE_PORTS]);
  address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
  control = (await dev.line(/^control/)).split(/\s+/)[1] ?? '';
  await dev.line(/^Ctrl-C/);
});

afterAll(async () => {
  await dev.end();
  rmSync(project, { recursive: true });
});

test.each(['server.mjs', 'fastify-server.mjs'])(
  'the guide’s %s leads its page to a paid payment',
  async (name) => {
    const env = { ...process.env, TEMPORAL_ADDRESS: address, PORT: '0' };
    const server = spawn(process.execPath, [name], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [port] = (await once(server.stdout, 'data')) as [Buffer];
      const url = `http://127.0.0.1:${port.toString().trim()}`;
      expect(await (await fetch(url)).text()).toContain("import { embedCheckout } from '/embed.js'");
      const embed = await fetch(`${url}/embed.js`);
      expect([embed.headers.get('content-type'), await embed.text()]).toEqual([
        expect.stringContaining('text/javascript'),
        expect.stringContaining('export'),
      ]);
      const order = `${url}/orders/order-${name.length}`;
      const { checkoutUrl } = (await (await fetch(order, { method: 'POST' })).json()) as {
        checkoutUrl: string;
      };
      const sessionId = new URL(checkoutUrl).searchParams.get('sessionId');
      const played = await fetch(`${control}/sessions/${sessionId}/play`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choice: 'completed' }),
      });
      expect(played.status).toBe(200);
      await fetch(`${order}/refresh`, { method: 'POST' });
      expect(await (await fetch(order)).json()).toMatchObject({ paid: true, phase: 'ended' });
      expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  },
);
