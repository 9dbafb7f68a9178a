import { Option, type Command } from 'commander';
import { WEBHOOK_KINDS } from '../../../src/protocol/webhooks';
import { jsonLinesOption } from '../../shared/output';
import type { ListenOptions } from './listen';

export function registerListen(program: Command): void {
  program
    .command('listen')
    .description(
      'print webhooks of sessions as they change, until Ctrl-C, and forward them to a URL of this machine',
    )
    .option('--forward <url>', 'send each message to this URL of this machine, signed')
    .addOption(new Option('--kind <kind...>', 'these kinds of webhooks only').choices(WEBHOOK_KINDS))
    .option('--account <account...>', 'webhooks of these accounts only')
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nFor development: webhooks are not kept while the command is not running.\n\nExample:\n  $ paysession listen --forward http://localhost:3000/webhooks',
    )
    .action(async (options: ListenOptions) => {
      const { listenUntilSignal } = await import('./listen.js');
      await listenUntilSignal(options);
    });
}
