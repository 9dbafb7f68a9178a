import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_CLIENT } from '../../../sandbox/clients/default-client';
import { postgresUser } from '../../../engine/postgres/postgres-user';
import { OTHERS_PASS_FOLDER, OWNER_ONLY_FOLDER, ownerOnlyFolder } from '../../../src/files/owner-only';
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
  readonly ledgerPort?: number;
  readonly ledger: boolean;
}

const DATABASE = 'engine.db';
const SANDBOX_DATA = 'sandbox';
const LEDGER = 'ledger';

export function registerDev(program: Command): void {
  program
    .command('dev')
    .description(
      'run a Temporal server, a ledger, the sandbox, a worker, a sample shop and the console until Ctrl-C',
    )
    .option(
      '--data <dir>',
      'where the Temporal server and the ledger keep their databases, and the sandbox its sessions',
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
    .option('--ledger-port <n>', 'port of the ledger’s PostgreSQL server (default: a free one)', parsePort)
    .option('--no-ledger', 'run without a ledger')
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
  ledgerPort,
  ledger,
}: DevOptions): Promise<void> {
  const signal = abortOnSignal();
  // The stack first: it says which packages are missing.
  const { startStack } = await import('../../shared/stack.js');
  const { serveShop } = await import('./serve-shop.js');
  const { readEncryption, readNews } = await import('../../../src/settings/index.js');
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
    // Receivers that are being written run on this machine.
    news: readNews({ PAYSESSION_NEWS_LOOPBACK: 'true', ...process.env }),
    ...(ledger && {
      ledger: {
        env: process.env,
        folder: join(data, LEDGER),
        ...(ledgerPort !== undefined && { port: ledgerPort }),
      },
    }),
  });
  try {
    const shop = await serveShop(stack, shopPort, (line) => log?.shop(line));
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
  // The ledger's server may be another user's.
  const mode = postgresUser() === undefined ? OWNER_ONLY_FOLDER : OTHERS_PASS_FOLDER;
  await mkdir(data, { recursive: true, mode });
  const holds = await readdir(data);
  if (holds.includes(DATABASE) && holds.includes(SANDBOX_DATA)) await ownerOnlyFolder(data, mode);
}

function placesOf(
  { engineAddress, uiUrl, sandboxUrl, controlUrl, ledger }: Stack,
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
      `ledger   ${ledgerLine(ledger)}`,
      'worker   running',
      'Ctrl-C stops all of them.',
    ],
    summary: `shop ${shopUrl} · console ${consoleUrl} · UI ${uiUrl ?? 'none'}`,
  };
}

/** The URL of one that is set stays unsaid: it holds a password that somebody chose. */
function ledgerLine(ledger: Stack['ledger']): string {
  if (ledger === undefined) return 'none';
  const { ownUrl, missing } = ledger;
  if (missing !== undefined) return `none: ${missing}`;
  return ownUrl === undefined
    ? 'as PAYSESSION_LEDGER_URL says'
    : `${ownUrl}  (PAYSESSION_LEDGER_URL for paysession ledger list)`;
}
