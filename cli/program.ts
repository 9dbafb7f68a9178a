import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerCodec } from './commands/codec';
import { registerCompletion } from './commands/completion';
import { registerWebhooks } from './commands/webhooks/command';
import { registerList } from './commands/session/list';
import { registerConsole } from './commands/console';
import { registerDemo } from './commands/demo';
import { registerDev } from './commands/dev/dev';
import { registerDoctor } from './commands/doctor/doctor';
import { registerExport } from './commands/export';
import { registerKeys } from './commands/keys';
import { registerLedger } from './commands/ledger/ledger';
import { registerPlay } from './commands/play';
import { registerReconcile } from './commands/reconcile';
import { registerReplay } from './commands/replay';
import { registerSandbox } from './commands/sandbox';
import { registerCancel } from './commands/session/cancel';
import { registerHistory } from './commands/session/history';
import { registerOpen } from './commands/session/open';
import { registerRefresh } from './commands/session/refresh';
import { registerResolve } from './commands/session/resolve';
import { registerStart } from './commands/session/start';
import { registerStartMany } from './commands/session/start-many';
import { registerState } from './commands/session/state';
import { registerWatch } from './commands/session/watch';
import { registerWorker } from './commands/worker';
import { addConnectionFlags } from './shared/connection-flags';
import { EXIT, EXIT_MEANINGS } from './shared/exit-codes';
import { wantsJson } from './shared/early-error';
import { asTyped } from './shared/output';
import { colorsOf } from './shared/terminal';

type Register = (program: Command) => void;

/** The commands, in the groups that `--help` shows. */
const GROUPS: Readonly<Record<string, readonly Register[]>> = {
  'Run:': [registerDemo, registerDev, registerSandbox, registerWorker, registerConsole],
  'Payment sessions:': [
    registerStart,
    registerStartMany,
    registerState,
    registerHistory,
    registerWatch,
    registerOpen,
    registerPlay,
    registerCancel,
    registerRefresh,
    registerResolve,
    registerList,
  ],
  'Ledger:': [registerLedger, registerWebhooks, registerReconcile],
  'Encryption:': [registerKeys, registerCodec],
  'Check:': [registerExport, registerReplay, registerDoctor],
};

/** The names of commands and subcommands that get no connection flags. */
const LOCAL = new Set(['demo', 'dev', 'sandbox', 'new', 'new-key', 'new-secret', 'test', 'trigger']);

/**
 * Returns the command line with all commands. Parsing it throws an error instead of ending the process.
 *
 * The file of a command declares the command's arguments. Code that needs Temporal's or Fastify's packages is imported only when the command
 * runs. So `--help`, `--version` and the completion of options do not load these packages.
 */
export function createProgram(): Command {
  const program = createWithoutCompletion();
  registerCompletion(program, createWithoutCompletion);
  return program;
}

function createWithoutCompletion(): Command {
  const program = new Command('paysession')
    .description('Bank-payment sessions (EFT, guaranteed EFT, e-Transfer), run durably on Temporal.')
    .version(packageVersion())
    // A flag after a command's name belongs to that command, even if its parent has a flag of the same name.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options and an example)')
    .configureOutput({
      writeOut: (text) => process.stdout.write(withBoldHeadings(asTyped(text))),
      // With `--json` or `--jsonl`, `reportError` prints the error instead, as one object.
      ...(wantsJson() && { writeErr: () => undefined }),
      outputError: (text, write) => {
        write(text.replace(/^error:/, colorsOf(process.stderr).red('error:')));
      },
    })
    .addHelpText('after', `\nExit codes:\n${exitCodes()}`)
    .exitOverride();
  for (const [heading, registers] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const register of registers) register(program);
  }
  program.commandsGroup('Other:').helpCommand(true);
  program.commands.flatMap(leavesOf).forEach(missRequiredLast);
  const isConnecting = (command: Command) => !LOCAL.has(command.name());
  program.commands.filter(isConnecting).flatMap(leavesOf).filter(isConnecting).forEach(addConnectionFlags);
  return program;
}

/**
 * Makes a command report a missing required option after all other errors. Commander itself reports it first. If the user has misspelt the option,
 * that would be the wrong error.
 */
function missRequiredLast(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) {
    option.makeOptionMandatory(false);
    option.description += '; required';
  }
  command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing !== undefined) command.error(`error: required option '${missing.flags}' not specified`);
  });
}

/** Returns a command's subcommands, at any depth, that have no subcommands themselves. For a command without subcommands, returns the command. */
const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const withBoldHeadings = (help: string): string =>
  help.replaceAll(/^(Usage:|[A-Z][\w ]*:$)/gm, colorsOf(process.stdout).bold);

function exitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return names.map((name) => `  ${EXIT[name]}  ${EXIT_MEANINGS[name]}`).join('\n');
}

/** Returns the version of this package. The manifest is found by the package's name, both from the sources and from the build. */
function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(require.resolve('paysession/package.json'), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
