import { type Command, Option } from 'commander';
import type { ReplayWebhooksOptions } from './endpoints';
import { pastTime, LISTEN_HOST, parsePort } from '../../shared/parse-arguments';
import { jsonLinesOption, type JsonOption } from '../../shared/output';
import type { SendOptions } from './send';
import { WEBHOOK_KINDS } from '../../../src/protocol/webhooks';
import type { ListenOptions } from './listen';

export function registerWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('the endpoints that receive each change of a session, from the ledger');
  webhooks
    .command('list')
    .description('show how each endpoint is doing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks list')
    .action(async (options: JsonOption) => {
      const { listEndpoints } = await import('./endpoints.js');
      await listEndpoints(options);
    });
  webhooks
    .command('send')
    .description(
      'send webhooks to the endpoints of the settings until Ctrl-C; workers with the same settings do so, too',
    )
    .option('--metrics-port <n>', 'port of /metrics and /livez (default: none)', parsePort)
    .option('--metrics-host <host>', 'address to listen on', LISTEN_HOST)
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nFor a machine of its own that may reach the internet, where workers may not.\n\nExample:\n  $ PAYSESSION_WEBHOOK_FILE=endpoints.json paysession webhooks send',
    )
    .action(async (options: SendOptions) => {
      const { sendUntilSignal } = await import('./send.js');
      await sendUntilSignal(options);
    });
  webhooks
    .command('replay')
    .description('send webhooks again; those that an endpoint has received come with the same ids')
    .requiredOption('--endpoint <name>', 'the endpoint')
    .option(
      '--since <time>',
      'all that was written to the ledger since this time (ISO 8601) or within this age (default: what was given up, or waits at an endpoint that gets none any more)',
      pastTime,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession webhooks replay --endpoint shop --since 2026-05-06T14:00:00Z',
    )
    .action(async (options: ReplayWebhooksOptions) => {
      const { replayWebhooks } = await import('./endpoints.js');
      await replayWebhooks(options);
    });
  webhooks
    .command('forget')
    .description(
      'keep no webhooks for an endpoint any more; take it out of the settings of all senders first',
    )
    .argument('<name>', 'the endpoint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks forget old-shop')
    .action(async (name: string, options: JsonOption) => {
      const { forgetEndpoint } = await import('./endpoints.js');
      await forgetEndpoint(name, options);
    });
  webhooks
    .command('new-secret')
    .description('generate a secret that signs messages')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks new-secret > webhook-secret.txt')
    .action(async (options: JsonOption) => {
      const { printNewSecret } = await import('./new-secret.js');
      printNewSecret(options);
    });
  registerListen(program);
}

function registerListen(program: Command): void {
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
      '\nFor development: nothing is kept for it while it does not run.\n\nExample:\n  $ paysession listen --forward http://localhost:3000/webhooks',
    )
    .action(async (options: ListenOptions) => {
      const { listenUntilSignal } = await import('./listen.js');
      await listenUntilSignal(options);
    });
}
