import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { resendWebhooks, showDeliveries } from './deliveries';
import { forgetEndpoint, listEndpoints, replayWebhooks } from './endpoints';
import { printNewSecret } from './new-secret';
import type { TriggerOptions } from './send-one';
import { DATA_FOLDER, pastTime, LISTEN_HOST, parsePort } from '../../shared/parse-arguments';
import { jsonLinesOption, type JsonOption } from '../../shared/output';
import type { SendOptions } from './send';
import { isSecret, SECRET_RULE } from '../../../src/settings/webhooks/secret';
import { WEBHOOK_KINDS, type WebhookKind } from '../../../src/protocol/webhooks';
import type { ListenOptions } from './listen';

export function registerWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('the endpoints that receive each change of a session from the ledger');
  webhooks
    .command('list')
    .description('show the state of each endpoint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks list')
    .action(listEndpoints);
  webhooks
    .command('send')
    .description(
      'send webhooks to the endpoints in the settings until Ctrl-C; workers with these settings also send them',
    )
    .option('--metrics-port <n>', 'port of /metrics and /livez (default: none)', parsePort)
    .option('--metrics-host <host>', 'address to listen on', LISTEN_HOST)
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nFor a separate machine that may reach the internet, if workers may not.\n\nExample:\n  $ PAYSESSION_WEBHOOK_FILE=endpoints.json paysession webhooks send',
    )
    .action(async (options: SendOptions) => {
      const { sendUntilSignal } = await import('./send.js');
      await sendUntilSignal(options);
    });
  webhooks
    .command('replay')
    .description('send webhooks again; a webhook that is sent again keeps its id')
    .requiredOption('--endpoint <name>', 'the endpoint')
    .option(
      '--since <time>',
      'webhooks of all entries written to the ledger since this time (ISO 8601) or within this age (default: those that were given up, or wait for an endpoint that is given up)',
      pastTime,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession webhooks replay --endpoint shop --since 2026-05-06T14:00:00Z',
    )
    .action(replayWebhooks);
  webhooks
    .command('deliveries')
    .description(
      'show the attempts of the last 30 days to send a session’s webhooks, or one message, with answers and the next try',
    )
    .argument('<key>', 'the session’s key, or a message’s id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks deliveries order-1042')
    .action(showDeliveries);
  webhooks
    .command('resend')
    .description(
      'send the webhooks of a session again, or one message and all later messages of its session; the ids stay the same',
    )
    .argument('<key>', 'the session’s key, or a message’s id')
    .option(
      '--endpoint <name>',
      'only to this endpoint (default: the endpoints that the message was sent to; for a key, all)',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks resend order-1042 --endpoint shop')
    .action(resendWebhooks);
  webhooks
    .command('test')
    .description('send a signed test.ping to an endpoint of the settings, and show its answer')
    .argument('<endpoint>', 'the endpoint’s name; the one of PAYSESSION_WEBHOOK_URL is named default')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks test shop')
    .action(async (name: string, options: JsonOption) => {
      const { testEndpoint } = await import('./send-one.js');
      await testEndpoint(name, options);
    });
  webhooks
    .command('forget')
    .description('stop keeping webhooks for an endpoint; first remove it from the settings of all senders')
    .argument('<name>', 'the endpoint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession webhooks forget old-shop')
    .action(forgetEndpoint);
  webhooks
    .command('new-secret')
    .description('generate a secret that signs messages')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ (umask 077; paysession webhooks new-secret > webhook-secret.txt)')
    .action(printNewSecret);
  registerListen(program);
  registerTrigger(program);
}

function registerListen(program: Command): void {
  program
    .command('listen')
    .description(
      'print webhooks as sessions change, until Ctrl-C, and with --forward send them to a URL of this machine',
    )
    .option('--forward <url>', 'send each message to this URL of this machine, signed')
    .option('--retry', 'try refused messages again, at the same intervals as other senders')
    .addOption(secretOption())
    .addOption(dataOption())
    .addOption(new Option('--kind <kind...>', 'these kinds of webhooks only').choices(WEBHOOK_KINDS))
    .option('--account <account...>', 'webhooks of these accounts only')
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nFor development: webhooks are not kept while the command is not running.\n\nExample:\n  $ paysession listen --forward http://localhost:3000/webhooks',
    )
    .action(async (options: ListenOptions, command: Command) => {
      const unused = ['retry', 'secret', 'data'].find((name) => command.getOptionValueSource(name) === 'cli');
      if (options.forward === undefined && unused !== undefined)
        command.error(`error: --${unused} needs --forward`);
      const { listenUntilSignal } = await import('./listen.js');
      await listenUntilSignal(options);
    });
}

function registerTrigger(program: Command): void {
  program
    .command('trigger')
    .description('send a receiver of this machine a signed message about a session that does not exist')
    .addArgument(new Argument('<kind>', 'the kind of webhook').choices(WEBHOOK_KINDS))
    .option('--forward <url>', 'the receiver’s URL')
    .addOption(
      new Option(
        '--endpoint <name>',
        'the receiver’s name in the settings of webhooks, in place of --forward',
      ).conflicts(['forward', 'secret', 'data']),
    )
    .option('--key <key>', 'the session’s key (default: a new one)')
    .addOption(secretOption())
    .addOption(dataOption())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession trigger payment.returned --forward http://localhost:3000/webhooks',
    )
    .action(async (kind: WebhookKind, options: TriggerOptions) => {
      const { triggerWebhook } = await import('./send-one.js');
      await triggerWebhook(kind, options);
    });
}

const secretOption = (): Option =>
  new Option(
    '--secret <secret>',
    'the secret that signs the messages (default: the secret in the data folder)',
  )
    .argParser(parseSecret)
    .conflicts('data');

function parseSecret(text: string): string {
  if (isSecret(text)) return text;
  throw new InvalidArgumentError(`${SECRET_RULE}.`);
}

const dataOption = (): Option => new Option('--data <dir>', 'where the secret is kept').default(DATA_FOLDER);
