import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FREE_PORTS } from '../cli/dev';
import { startPaysession } from '../cli/run-paysession';
import { filesOf, linkPackages } from './snippets';

/** The example project of docs/guides/checkout-page.md, and a running `paysession dev`. */
export interface CheckoutProject {
  /** The Temporal server's HOST:PORT. */
  readonly address: string;
  /** The URL of the sandbox's control port. */
  readonly control: string;
  /** Starts one of the guide’s servers, calls `call` with its URL, and stops the server. */
  serving(name: string, call: (url: string) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openCheckoutProject(): Promise<CheckoutProject> {
  const project = mkdtempSync(join(tmpdir(), 'paysession-checkout-'));
  linkPackages(project, ['@temporalio', 'fastify']);
  for (const [name, text] of filesOf('docs/guides/checkout-page.md'))
    writeFileSync(join(project, name), text);
  const data = join(project, '.paysession');
  const dev = startPaysession(['dev', '--no-ledger', '--data', data, ...FREE_PORTS]);
  const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
  const control = (await dev.line(/^control/)).split(/\s+/)[1] ?? '';
  await dev.line(/^Ctrl-C/);
  return {
    address,
    control,
    serving: async (name, call) => {
      const env = { ...process.env, TEMPORAL_ADDRESS: address, PORT: '0' };
      const stdio = ['ignore', 'pipe', 'inherit'] as const;
      const server = spawn(process.execPath, [name], { cwd: project, env, stdio: [...stdio] });
      try {
        const [port] = (await once(server.stdout, 'data')) as [Buffer];
        await call(`http://127.0.0.1:${port.toString().trim()}`);
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    },
    close: async () => {
      await dev.end();
      rmSync(project, { recursive: true });
    },
  };
}
