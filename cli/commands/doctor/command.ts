import type { Command } from 'commander';
import type { Finding } from './finding';
import { EXIT } from '../../shared/run/exit-codes';
import { colorsOf, wrapped } from '../../shared/screen/terminal';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';
import { waitingFor } from '../../shared/screen/status-line';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check Node, Temporal server, workers, settings, payment service and open sessions, and say how to fix what is wrong',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession doctor')
    .action(async ({ json }: JsonOption) => {
      const { examine } = await import('./checks.js');
      const findings = await waitingFor('checking', () => examine(process.env));
      if (json) printJson(findings);
      else findings.forEach(printFinding);
      if (!findings.every(({ ok }) => ok)) process.exitCode = EXIT.unavailable;
    });
}

function printFinding({ subject, ok, found, fix }: Finding): void {
  const { stdout } = process;
  const { green, red, yellow, bold, dim } = colorsOf(stdout);
  const note = fix === undefined ? green('✔') : yellow('!');
  printLine(wrapped(`${ok ? note : red('✘')} ${bold(`${subject}:`)} ${found}`, stdout, 4));
  if (fix !== undefined) printLine(`    ${dim(wrapped(fix, stdout, 4))}`);
}
