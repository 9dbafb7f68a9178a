import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { DEFAULT_TASK_QUEUE } from '../../../src/protocol/names';
import { refuseUnfit } from '../../shared/connection-flags';
import { machineUser } from '../../shared/decisions';
import { printProgress } from '../../shared/output';
import { DATA_FOLDER, DEV_PORTS, LISTEN_HOST, parsePort } from '../../shared/parse-arguments';
import { aborted, abortOnSignal } from '../../shared/until-signal';
import { openDevLog, type DevLog, placesOf } from './dev-log';
import { checkPorts, type WantedPort } from './dev-ports';
import { followSessions } from './session-events';
import { openDataFolder } from '../../shared/data-folder';
import { needOptionalPackages, ownerOnlyFolder } from '../../../src/files';
import { freePort } from '../../../src/temporal-server/start-server';

interface DevOptions {
  readonly data: string;
  readonly temporalPort: number;
  readonly uiPort: number;
  readonly sandboxPort: number;
  readonly shopPort: number;
  readonly consolePort: number;
  readonly controlPort: number;
  readonly ledgerPort?: number;
  readonly metricsPort?: number;
  readonly freePorts?: true;
  readonly address?: string;
  readonly ledger: boolean;
}

type PortName = keyof DevOptions & `${string}Port`;

const DATABASE = 'temporal.db';
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
      DATA_FOLDER,
    )
    .option('--temporal-port <n>', 'port of the Temporal server', parsePort, DEV_PORTS.temporal)
    .option('--ui-port <n>', 'port of Temporal’s web UI', parsePort, DEV_PORTS.ui)
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
    .option('--metrics-port <n>', 'port of the worker’s metrics, for Prometheus (default: none)', parsePort)
    .option('--free-ports', 'take a free port in place of each default that another program uses')
    .addOption(
      new Option(
        '--address <host:port>',
        'use the Temporal server that runs there, in its namespace default',
      ).conflicts(['temporalPort', 'uiPort']),
    )
    .addOption(new Option('--no-ledger', 'run without a ledger').conflicts('ledgerPort'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession dev --free-ports\n  $ paysession dev --address 127.0.0.1:7233',
    )
    .action((options: DevOptions, command: Command) => dev(options, command));
}

async function dev(options: DevOptions, command: Command): Promise<void> {
  const { data, address, ledger } = options;
  if (address !== undefined) {
    const flag = { flags: '--address <host:port>', setting: 'TEMPORAL_ADDRESS', given: address } as const;
    await refuseUnfit(command, flag);
  }
  const signal = abortOnSignal();
  // The stack is imported first, because this import reports which packages are missing.
  const { startStack } = await import('../../shared/stack.js');
  needOptionalPackages('The sample shop', ['standardwebhooks']);
  const { serveShop } = await import('./serve-shop.js');
  const { readOptionalLedger, readTemporalSettings, readWebhooks, readPageSettings } =
    await import('../../../src/settings/index.js');
  const { serveConsole } = await import('../../../console/serve-console.js');
  const { PaymentSessions } = await import('../../../src/sessions/index.js');
  const settings = readTemporalSettings(process.env);
  if (options.ledgerPort !== undefined && readOptionalLedger() !== undefined)
    command.error("error: option '--ledger-port <n>' cannot be used with PAYSESSION_LEDGER_URL");
  const checked = await checkPorts(wantedPorts(options, command), { takesFree: options.freePorts === true });
  const ports: DevOptions = { ...options, ...checked };
  await makeDataFolder(data);
  // For 0, a free port is chosen here, because the SDK's metrics server does not report which port the system has chosen.
  const metricsPort = ports.metricsPort === undefined ? undefined : await freePort(ports.metricsPort);
  const metricsUrl = metricsPort === undefined ? undefined : `http://${LISTEN_HOST}:${metricsPort}/metrics`;
  let log: DevLog | undefined;
  const stopping = new AbortController();
  const stack = await startStack({
    temporal:
      address === undefined
        ? { port: ports.temporalPort, uiPort: ports.uiPort, databaseFile: join(data, DATABASE) }
        : { address },
    // The sandbox keeps its sessions next to the Temporal server's database. So after a restart, both still have the session.
    sandbox: { log: (line) => log?.call(line), dataDir: join(data, SANDBOX_DATA) },
    sandboxPort: ports.sandboxPort,
    controlPort: ports.controlPort,
    ...(metricsPort !== undefined && { metrics: { host: LISTEN_HOST, port: metricsPort } }),
    // The worker encrypts with the keys that other commands use to read its sessions.
    encryption: settings,
    // Webhooks may go to this machine, because receivers under development run here.
    webhooks: readWebhooks({ PAYSESSION_WEBHOOK_LOOPBACK: 'true', ...process.env }),
    ...(ledger && {
      ledger: {
        env: process.env,
        folder: join(data, LEDGER),
        ...(ports.ledgerPort !== undefined && { port: ports.ledgerPort }),
      },
    }),
  });
  try {
    const shop = await serveShop(stack, ports.shopPort, (line) => log?.shop(line));
    try {
      const { client, sessions, uiUrl } = stack;
      const operators = await serveConsole({
        client,
        sessions: new PaymentSessions(client, { taskQueue: DEFAULT_TASK_QUEUE }),
        ledger: stack.ledger?.ledger,
        taskQueue: DEFAULT_TASK_QUEUE,
        access: { kind: 'local', operator: { name: machineUser() ?? 'unknown', role: 'operator' } },
        ...readPageSettings(process.env),
        ...(uiUrl !== undefined && { uiUrl }),
        log: (line) => log?.call(line),
        host: LISTEN_HOST,
        port: ports.consolePort,
        portFlag: '--console-port',
      });
      try {
        log = await openDevLog(
          placesOf(stack, { settings, shopUrl: shop.url, consoleUrl: operators.url, metricsUrl }),
        );
        const following = followSessions(sessions, log.event, stopping.signal);
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

/** Returns the ports that the options name. With `--address`, those of the Temporal server and its web UI are left out. */
function wantedPorts(options: DevOptions, command: Command): readonly WantedPort<PortName>[] {
  const unused = new Set<PortName>(options.address === undefined ? [] : ['temporalPort', 'uiPort']);
  const flags = command.options.filter(({ long }) => long?.endsWith('-port'));
  return flags.flatMap((option) => {
    const name = option.attributeName() as PortName;
    const port = options[name];
    if (port === undefined || unused.has(name)) return [];
    const isChosen = command.getOptionValueSource(name) !== 'default';
    return [{ name, flag: option.long ?? '', port, isChosen }];
  });
}

/** Makes the data folder. Tightens an existing folder's rights only if an earlier run has used it. */
async function makeDataFolder(data: string): Promise<void> {
  const mode = openDataFolder(data);
  const holds = await readdir(data);
  if (holds.includes(DATABASE) && holds.includes(SANDBOX_DATA)) await ownerOnlyFolder(data, mode);
}
