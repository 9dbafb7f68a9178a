import type { Command } from 'commander';
import type { Scenario } from '../../../sandbox';
import { OWNER_ONLY_UMASK } from '../../../src/files/owner-only';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';
import { DEV_PORTS, parsePort } from '../../shared/input/ports';
import { formatTable } from '../../shared/screen/table';
import { registerReconciliation } from './reconciliation';
import { addSandboxFlags, sandboxOptionsOf, type SandboxFlags } from './flags';
import { aborted, abortOnSignal } from '../../shared/run/until-signal';

interface SandboxCommandOptions extends SandboxFlags, JsonOption {
  readonly port: number;
  readonly host: string;
  readonly controlPort?: number;
  readonly scenarios?: true;
}

/** The addresses that stand for all addresses of the machine. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

export function registerSandbox(program: Command): void {
  const command = program
    .command('sandbox')
    .description('run the sandbox of the payment service until Ctrl-C')
    .option('--port <n>', 'port to listen on', parsePort, DEV_PORTS.sandbox)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--control-port <n>',
      'port on 127.0.0.1 that controls faults, clock and more over HTTP (default: none)',
      parsePort,
    );
  addSandboxFlags(command)
    .option('--scenarios', 'list the scenarios that a referenceId selects, and exit')
    .option('--json', 'print the scenarios as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession sandbox --port 4010 --pace 500 --data .paysession/sandbox' +
        '\n  $ paysession sandbox --idle-expiry 2m --rate-limit 100 --frame-ancestors https://shop.example',
    )
    .action(sandbox);
  registerReconciliation(command.enablePositionalOptions());
}

async function sandbox({
  port,
  host,
  controlPort,
  scenarios,
  json,
  ...flags
}: SandboxCommandOptions): Promise<void> {
  const { createSandbox, loadSandboxClients, SCENARIOS } = await import('../../../sandbox/index.js');
  if (scenarios) {
    printScenarios(SCENARIOS, json);
    return;
  }
  const signal = abortOnSignal();
  // The store makes files at any time, and this process is only for the sandbox.
  process.umask(OWNER_ONLY_UMASK);
  const service = createSandbox({ ...sandboxOptionsOf(flags, loadSandboxClients), log: printLine });
  try {
    const { url } = await service.listen({ port, host });
    // The URL of an address that stands for all others is this machine's own.
    const isEverywhere = EVERYWHERE.includes(host);
    printLine(`listening on ${url}${isEverywhere ? `, and on all other addresses (${host})` : ''}`);
    if (controlPort !== undefined) {
      const control = await service.listenControl({ port: controlPort });
      printLine(`control on ${control.url}`);
    }
    await aborted(signal);
  } finally {
    await service.close();
  }
}

function printScenarios(scenarios: readonly Scenario[], json: true | undefined): void {
  const rows = scenarios.map(({ id, summary }) => ({ id, summary }));
  if (json) {
    printJson(rows);
    return;
  }
  printLine(
    formatTable(
      ['REFERENCE ID', { title: 'WHAT HAPPENS', narrowed: 'wrapped' }],
      rows.map(({ id, summary }) => [id, summary]),
    ),
  );
  printLine(
    'You may add a hyphen and any text, as in sandbox-completes-42. Any other session waits for a person to pay.',
  );
}
