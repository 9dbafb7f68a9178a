import type { Command } from 'commander';
import { EXIT } from '../../shared/exit-codes';
import { asTyped, oneLine, printJson, printLine, type JsonOption } from '../../shared/output';
import { waitingFor } from '../../shared/status-line';
import { colorsOf, wrapped } from '../../shared/terminal';
import { levelOf, type Finding } from './finding';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'check this machine, the settings, the servers in the settings, the workers and the open sessions, and say how to fix problems',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession doctor')
    .action(async ({ json }: JsonOption) => {
      const { examine } = await import('./checks.js');
      const findings = await waitingFor('checking', () => examine(process.env));
      if (json) printJson(findings.map((finding) => ({ level: levelOf(finding), ...finding })));
      else findings.forEach(printFinding);
      if (!findings.every(({ ok }) => ok)) process.exitCode = EXIT.unavailable;
    });
}

const SIGNS = { ok: '✔', note: '!', fault: '✘' } as const;

/** Prints a finding. Its commands are printed so that a user can type them. */
export function printFinding(finding: Finding): void {
  const { subject, found, fix, commands = [] } = finding;
  const { stdout } = process;
  const { green, red, yellow, bold, dim } = colorsOf(stdout);
  const level = levelOf(finding);
  const style = { ok: green, note: yellow, fault: red }[level];
  printLine(wrapped(`${style(SIGNS[level])} ${bold(`${subject}:`)} ${asTyped(oneLine(found))}`, stdout, 4));
  if (fix !== undefined) printLine(`    ${dim(wrapped(asTyped(fix), stdout, 4))}`);
  // Commands are not wrapped, so that they can be copied.
  for (const command of commands) printLine(asTyped(`    $ ${oneLine(command)}`));
}
