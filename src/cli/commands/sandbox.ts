import { InvalidArgumentError, type Command } from 'commander';
import { createSandbox, loadSandboxClients, SCENARIOS } from '../../../sandbox';
import { formatTable, printJson, printLine } from '../output';
import { DEV_PORTS, parsePort } from '../ports';
import { aborted, abortOnSignal } from '../until-signal';

interface SandboxCommandOptions {
  readonly port: number;
  readonly host: string;
  readonly clients?: string;
  readonly pace: number;
  readonly scenarios?: true;
  readonly json?: true;
}

export function registerSandbox(program: Command): void {
  program
    .command('sandbox')
    .description('run the sandbox of the payment service until Ctrl-C')
    .option('--port <n>', 'port to listen on', parsePort, DEV_PORTS.sandbox)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--clients <file>',
      'JSON file with the clients (default: one client, sandbox-client / sandbox-secret)',
    )
    .option('--pace <ms>', 'milliseconds between the steps of a scenario', parsePace, 1_000)
    .option('--scenarios', 'list the scenarios that a referenceId selects, and exit')
    .option('--json', 'print the scenarios as JSON')
    .addHelpText('after', '\nExample:\n  $ paysession sandbox --port 4010 --pace 500')
    .action(sandbox);
}

async function sandbox({
  port,
  host,
  clients: file,
  pace,
  scenarios,
  json,
}: SandboxCommandOptions): Promise<void> {
  if (scenarios) {
    printScenarios(json);
    return;
  }
  const signal = abortOnSignal();
  const clients = file === undefined ? undefined : loadSandboxClients(file);
  const service = createSandbox({ paceMs: pace, log: printLine, ...(clients !== undefined && { clients }) });
  const { url } = await service.listen({ port, host });
  printLine(`listening on ${url}`);
  try {
    await aborted(signal);
  } finally {
    await service.close();
  }
}

function printScenarios(json: true | undefined): void {
  const rows = SCENARIOS.map(({ id, summary }) => ({ id, summary }));
  if (json) printJson(rows);
  else
    printLine(
      formatTable(
        ['REFERENCE ID', 'WHAT HAPPENS'],
        rows.map(({ id, summary }) => [id, summary]),
      ),
    );
}

function parsePace(text: string): number {
  const pace = Number(text);
  if (!Number.isInteger(pace) || pace < 1 || pace > 3_600_000)
    throw new InvalidArgumentError('must be 1 to 3600000.');
  return pace;
}
