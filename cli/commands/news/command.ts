import type { Command } from 'commander';
import { pastTime, LISTEN_HOST, parsePort } from '../../shared/parse-arguments';
import { jsonLinesOption, type JsonOption } from '../../shared/output';
import type { ReplayNewsOptions } from './endpoints';
import { registerListen } from './listen-command';
import type { SendOptions } from './send';

export function registerNews(program: Command): void {
  const news = program
    .command('news')
    .description('the endpoints that are told of each change of a session, from the ledger');
  news
    .command('list')
    .description('show how each endpoint is doing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession news list')
    .action(async (options: JsonOption) => {
      const { listEndpoints } = await import('./endpoints.js');
      await listEndpoints(options);
    });
  news
    .command('send')
    .description(
      'send news to the endpoints of the settings until Ctrl-C; workers with the same settings do so, too',
    )
    .option('--metrics-port <n>', 'port of /metrics and /livez (default: none)', parsePort)
    .option('--metrics-host <host>', 'address to listen on', LISTEN_HOST)
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nFor a machine of its own that may reach the internet, where workers may not.\n\nExample:\n  $ PAYSESSION_NEWS_FILE=endpoints.json paysession news send',
    )
    .action(async (options: SendOptions) => {
      const { sendUntilSignal } = await import('./send.js');
      await sendUntilSignal(options);
    });
  news
    .command('replay')
    .description('send news again; what an endpoint was told before comes with the same ids')
    .requiredOption('--endpoint <name>', 'the endpoint')
    .option(
      '--since <time>',
      'all that was written to the ledger since this time (ISO 8601) or within this age (default: what was given up, or waits at an endpoint that gets none any more)',
      pastTime,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession news replay --endpoint shop --since 2026-05-06T14:00:00Z',
    )
    .action(async (options: ReplayNewsOptions) => {
      const { replayNews } = await import('./endpoints.js');
      await replayNews(options);
    });
  news
    .command('forget')
    .description('keep no news for an endpoint any more; take it out of the settings of all senders first')
    .argument('<name>', 'the endpoint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession news forget old-shop')
    .action(async (name: string, options: JsonOption) => {
      const { forgetEndpoint } = await import('./endpoints.js');
      await forgetEndpoint(name, options);
    });
  news
    .command('new-secret')
    .description('generate a secret that signs messages')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession news new-secret > news-secret.txt')
    .action(async (options: JsonOption) => {
      const { printNewSecret } = await import('./new-secret.js');
      printNewSecret(options);
    });
  registerListen(program);
}
