import { Command } from 'commander';
import { packageVersion } from './shared/version';
import { registerCodec } from './commands/codec/command';
import { registerDemo } from './commands/demo/command';
import { registerDev } from './commands/dev/command';
import { registerDoctor } from './commands/doctor/command';
import { registerExport } from './commands/export';
import { registerKeys } from './commands/keys/command';
import { registerList } from './commands/list';
import { registerReplay } from './commands/replay';
import { registerSandbox } from './commands/sandbox/command';
import { registerCancel } from './commands/session/cancel';
import { registerHistory } from './commands/session/history';
import { registerRefresh } from './commands/session/refresh';
import { registerResolve } from './commands/session/resolve';
import { registerState } from './commands/session/state';
import { registerStart } from './commands/start';
import { registerStartMany } from './commands/start-many/command';
import { registerWatch } from './commands/watch';
import { registerWorker } from './commands/worker';
import { EXIT, EXIT_MEANINGS } from './shared/exit-codes';

/**
 * The whole command line; parsing never exits the process itself. Commands import the worker, the sandbox and the testing
 * kit when they run: those that need none of them start twice as fast.
 */
export function createProgram(): Command {
  const program = new Command('paysession')
    .description('Bank-payment sessions (EFT, guaranteed EFT, e-Transfer), run durably on Temporal.')
    .version(packageVersion())
    .showHelpAfterError('(add --help for the options and an example)')
    .addHelpText('after', `\nExit codes:\n${exitCodes()}`)
    .exitOverride();
  const registers = [
    registerDemo,
    registerDev,
    registerSandbox,
    registerWorker,
    registerStart,
    registerStartMany,
    registerState,
    registerHistory,
    registerWatch,
    registerCancel,
    registerRefresh,
    registerResolve,
    registerList,
    registerExport,
    registerReplay,
    registerKeys,
    registerCodec,
    registerDoctor,
  ];
  for (const register of registers) register(program);
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError('(add --help for the options and an example)');
  return program;
}

function exitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return names.map((name) => `  ${EXIT[name]}  ${EXIT_MEANINGS[name]}`).join('\n');
}
