import type { Command } from 'commander';
import { PaysessionError } from '../../../src/errors';
import { day } from '../../shared/input/parse-arguments';
import { DEV_PORTS, parsePort } from '../../shared/input/ports';
import { oneLine } from '../../shared/screen/output';
import { askControlPort } from './control-port';

interface ReconciliationOptions {
  readonly day: Date;
  readonly client?: string;
  readonly controlPort: number;
}

export function registerReconciliation(sandbox: Command): void {
  sandbox
    .command('reconciliation')
    .description('print the reconciliation file of a day, as a running sandbox delivers it')
    .requiredOption('--day <day>', 'the day, such as 2026-05-06 (UTC)', day)
    .option('--client <clientId>', 'only the sessions of this client')
    .option('--control-port <n>', 'the control port of the sandbox', parsePort, DEV_PORTS.control)
    .addHelpText(
      'after',
      '\nPaid sessions settle on the day after they were paid.\n\nExample:\n  $ paysession sandbox reconciliation --day 2026-05-06 > 2026-05-06.csv',
    )
    .action(printReconciliation);
}

async function printReconciliation({
  day: asked,
  client,
  controlPort,
}: ReconciliationOptions): Promise<void> {
  const query = new URLSearchParams({ day: asked.toISOString().slice(0, 'yyyy-mm-dd'.length) });
  if (client !== undefined) query.set('clientId', client);
  const response = await askControlPort(controlPort, `/reconciliation?${query.toString()}`);
  const text = await response.text();
  if (!response.ok)
    throw new PaysessionError(
      'INVALID_INPUT',
      `The sandbox gives no file (status ${response.status}): ${oneLine(text)}`,
    );
  process.stdout.write(text);
}
