import type { Command } from 'commander';
import type { Finding } from './finding';
import { EXIT } from '../../shared/exit-codes';
import { printJson, printLine, type JsonOption } from '../../shared/output';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check Node, Temporal server, settings, payment service and open sessions, and say how to fix what is wrong',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession doctor')
    .action(async ({ json }: JsonOption) => {
      const { examine } = await import('./checks.js');
      const findings = await examine(process.env);
      if (json) printJson(findings);
      else findings.forEach(printFinding);
      if (!findings.every(({ ok }) => ok)) process.exitCode = EXIT.unavailable;
    });
}

function printFinding({ subject, ok, found, fix }: Finding): void {
  printLine(`${ok ? '✔' : '✘'} ${subject}: ${found}`);
  if (fix !== undefined) printLine(`    ${fix}`);
}
