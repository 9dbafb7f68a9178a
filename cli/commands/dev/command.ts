import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_CLIENT } from '../../../sandbox/clients/default-client';
import { OWNER_ONLY_FOLDER, ownerOnlyFolder } from '../../../src/files/owner-only';
import { printProgress } from '../../shared/screen/output';
import { DEV_PORTS, parsePort } from '../../shared/input/ports';
import type { Stack } from '../../shared/stack';
import { aborted, abortOnSignal } from '../../shared/run/until-signal';
import { openDevLog, type DevLog, type DevPlaces } from './log';
import { followSessions } from './session-events';

interface DevOptions {
  readonly data: string;
  readonly enginePort: number;
  readonly uiPort: number;
  readonly sandboxPort: number;
  readonly shopPort: number;
  readonly consolePort: number;
  readonly controlPort: number;
}

const DATABASE = 'engine.db';
const SANDBOX_DATA = 'sandbox';

export function registerDev(program: Command): void {
  program
    .command('dev')
    .description('run a Temporal server, the sandbox, a worker, a sample shop and the console until Ctrl-C')
    .option(
      '--data <dir>',
      'where the Temporal server keeps its database, and the sandbox its sessions',
      '.paysession',
    )
    .option('--engine-port <n>', 'port of the Temporal server', parsePort, DEV_PORTS.engine)
    .option('--ui-port <n>', 'port of its web UI', parsePort, DEV_PORTS.ui)
    .option('--sandbox-port <n>', 'port of the sandbox', parsePort, DEV_PORTS.sandbox)
    .option('--shop-port <n>', 'port of the sample shop', parsePort, DEV_PORTS.shop)
    .option('--console-port <n>', 'port of the operator’s console', parsePort, DEV_PORTS.console)
    .option(
      '--control-port <n>',
      'port that controls the sandbox’s faults, clock and payors',
      parsePort,
      DEV_PORTS.control,
    )
    .addHelpText('after', '\nExample:\n  $ paysession dev --sandbox-port 4011')
    .action(dev);
}

async function dev({
  data,
  enginePort,
  uiPort,
  sandboxPort,
  shopPort,
  consolePort,
  controlPort,
}: DevOptions): Promise<void> {
  const signal = abortOnSignal();
  // The stack first: it says which packages are missing.
  const { startStack } = await import('../../shared/stack.js');
  const { serveShop } = await import('./serve-shop.js');
  const { readEncryption } = await import('../../../src/settings/index.js');
  const { serveDevConsole } = await import('./serve-console.js');
  await makeDataFolder(data);
  let log: DevLog | undefined;
  const stopping = new AbortController();
  const stack = await startStack({
    engine: { port: enginePort, uiPort, databaseFile: join(data, DATABASE) },
    // Beside the engine's database, so that both sides of a session outlast a restart.
    sandbox: { log: (line) => log?.call(line), dataDir: join(data, SANDBOX_DATA) },
    sandboxPort,
    controlPort,
    // As the other commands, which read its sessions.
    encryption: readEncryption(process.env),
  });
  try {
    const shop = await serveShop(stack.sessions, shopPort);
    try {
      const operators = await serveDevConsole(stack, consolePort, (line) => log?.call(line));
      try {
        log = await openDevLog(placesOf(stack, shop.url, operators.url));
        const following = followSessions(stack.sessions, log.event, stopping.signal);
        await Promise.race([aborted(signal), stack.workerDone]);
        log.close();
        printProgress('Stopping …');
        stopping.abort();
        await following;
      } finally {
        log?.close();
        await operators.close();
      }
    } finally {
      await shop.close();
    }
  } finally {
    await stack.stop();
  }
}

/** Tightens the rights of a folder that exists only if an earlier run has used it as its own. */
async function makeDataFolder(data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const holds = await readdir(data);
  if (holds.includes(DATABASE) && holds.includes(SANDBOX_DATA)) await ownerOnlyFolder(data);
}

function placesOf(
  { engineAddress, uiUrl, sandboxUrl, controlUrl }: Stack,
  shopUrl: string,
  consoleUrl: string,
): DevPlaces {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return {
    addresses: [
      `Temporal ${engineAddress}`,
      `web UI   ${uiUrl ?? 'none'}`,
      `sandbox  ${sandboxUrl}  (client ${clientId}, secret ${clientSecret})`,
      `control  ${controlUrl ?? 'none'}  (faults, clock and payors; paysession play)`,
      `shop     ${shopUrl}  (log in to its banks as payor, password sandbox)`,
      `console  ${consoleUrl}`,
      'worker   running',
      'Ctrl-C stops all of them.',
    ],
    summary: `shop ${shopUrl} · console ${consoleUrl} · UI ${uiUrl ?? 'none'}`,
  };
}
