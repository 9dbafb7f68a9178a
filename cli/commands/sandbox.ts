import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scenario, SandboxOptions } from '../../sandbox';
import { PaysessionError } from '../../src/errors';
import { printJson, printLine, type JsonOption, oneLine } from '../shared/output';
import { DEV_PORTS, parsePort, duration, webUrl, wholeNumber, day } from '../shared/parse-arguments';
import { formatTable } from '../shared/table';
import { aborted, abortOnSignal } from '../shared/until-signal';
import { askControlPort } from './play';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';
import { OWNER_ONLY_UMASK } from '../../src/files';
import { dayOf } from '../../src/contract/values/day';

/** The addresses that stand for all addresses of the machine. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

interface SandboxCommandOptions extends SandboxFlags, JsonOption {
  readonly port: number;
  readonly host: string;
  readonly controlPort?: number;
  readonly scenarios?: true;
}

export function registerSandbox(program: Command): void {
  const command = program
    .command('sandbox')
    .description('run the sandbox of the payment service until Ctrl-C')
    .option('--port <n>', 'port to listen on', parsePort, DEV_PORTS.sandbox)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--control-port <n>',
      'port on 127.0.0.1 that controls faults, clock and more over HTTP (default: none)',
      parsePort,
    );
  addSandboxFlags(command)
    .option('--scenarios', 'list the scenarios that a referenceId selects, and exit')
    .option('--json', 'print the scenarios as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession sandbox --port 4010 --pace 500 --data .paysession/sandbox' +
        '\n  $ PAYSESSION_HINT_SECRET=… paysession sandbox --hint-url http://127.0.0.1:9465/hints' +
        '\n  $ paysession sandbox --idle-expiry 2m --rate-limit 100 --frame-ancestors https://shop.example',
    )
    .action(sandbox);
  registerReconciliation(command.enablePositionalOptions());
}

async function sandbox(flags: SandboxCommandOptions): Promise<void> {
  const { port, host, controlPort, scenarios, json } = flags;
  const { createSandbox, loadSandboxClients, SCENARIOS } = await import('../../sandbox/index.js');
  if (scenarios) {
    printScenarios(SCENARIOS, json);
    return;
  }
  const signal = abortOnSignal();
  // The files that this process creates are private. This applies to the whole process, because the sandbox may create files at any time.
  process.umask(OWNER_ONLY_UMASK);
  const options = { ...sandboxOptionsOf(flags, loadSandboxClients), ...(await hintsTo(flags.hintUrl)) };
  const service = createSandbox({ ...options, log: printLine });
  try {
    const { url } = await service.listen({ port, host });
    // If the server listens on all addresses, the printed URL has the loopback address.
    const isEverywhere = EVERYWHERE.includes(host);
    printLine(`listening on ${url}${isEverywhere ? `, and on all other addresses (${host})` : ''}`);
    if (controlPort !== undefined) {
      const control = await service.listenControl({ port: controlPort });
      printLine(`control on ${control.url}`);
    }
    await aborted(signal);
  } finally {
    await service.close();
  }
}

function printScenarios(scenarios: readonly Scenario[], json: true | undefined): void {
  const rows = scenarios.map(({ id, summary }) => ({ id, summary }));
  if (json) {
    printJson(rows);
    return;
  }
  printLine(
    formatTable(
      ['REFERENCE ID', { title: 'WHAT HAPPENS', narrowed: 'wrapped' }],
      rows.map(({ id, summary }) => [id, summary]),
    ),
  );
  printLine(
    'You may add a hyphen and any text, as in sandbox-completes-42. Any other session waits for a person to pay.',
  );
}

/** The flags that set options of the sandbox, by their names in commander. */
const OPTIONS = {
  data: 'dataDir',
  pace: 'paceMs',
  publicUrl: 'publicUrl',
  allowHost: 'allowedHosts',
  frameAncestors: 'frameAncestors',
  consent: 'consentByDefault',
  maxLoginAttempts: 'maxLoginAttempts',
  failWithoutGuarantee: 'failWithoutGuarantee',
  tokenLifetime: 'tokenLifetimeMs',
  idleExpiry: 'idleExpiryMs',
  absoluteExpiry: 'absoluteExpiryMs',
  rateLimit: 'rateLimitRequests',
  rateWindow: 'rateLimitWindowMs',
  retryAfter: 'retryAfterForm',
  cancelEndedStatus: 'cancelEndedStatus',
  cancelUnsigned: 'cancellableWhileUnsigned',
  maxSessions: 'maxSessions',
} as const satisfies Readonly<Record<string, keyof SandboxOptions>>;

/** The options of the command `sandbox`, by their names in commander. */
interface SandboxFlags extends Readonly<Partial<Record<keyof typeof OPTIONS, unknown>>> {
  readonly clients?: string;
  readonly hintUrl?: string;
}

/** A function that reads a JSON file of clients. */
type ClientLoader = (file: string) => NonNullable<SandboxOptions['clients']>;

function addSandboxFlags(command: Command): Command {
  return command
    .option('--data <dir>', 'folder that keeps sessions, tokens and mails across restarts (default: none)')
    .option(
      '--clients <file>',
      `JSON file with the clients (default: one client, ${DEFAULT_CLIENT.clientId} / ${DEFAULT_CLIENT.clientSecret})`,
    )
    .option('--pace <ms>', 'milliseconds between the steps of a scenario', wholeNumber(1, 3_600_000), 1_000)
    .option('--public-url <url>', 'where payors reach the sandbox, for links in mails', webUrl)
    .option('--allow-host <name...>', 'host names to serve in addition to 127.0.0.1 and localhost')
    .option(
      '--frame-ancestors <source...>',
      'pages that may embed the hosted flow, such as https://shop.example',
    )
    .option('--no-consent', 'show the consent screen only to sessions that ask for it')
    .option(
      '--max-login-attempts <n>',
      'wrong logins after which a session fails (default: 3)',
      wholeNumber(1, 100),
    )
    .option('--fail-without-guarantee', 'fail with EFT0402 if no guarantee is available')
    .option('--token-lifetime <time>', 'how long a token is valid (default: 599s)', duration)
    .option(
      '--idle-expiry <time>',
      'how long a session stays open without payor activity (default: 15m)',
      duration,
    )
    .option('--absolute-expiry <time>', 'maximum age of an open session (default: 24h)', duration)
    .option('--rate-limit <n>', 'calls that a client may make in one window (default: no limit)', count)
    .option('--rate-window <time>', 'the window of the rate limit (default: 60s)', duration)
    .addOption(
      new Option('--retry-after <form>', 'form of Retry-After (default: seconds)').choices([
        'seconds',
        'http-date',
      ]),
    )
    .option(
      '--cancel-ended-status <status>',
      'answer to cancelling an ended session: 400 or 409 (default: 400)',
      cancelEndedStatus,
    )
    .option('--cancel-unsigned', 'let a session be cancelled while its signature is missing')
    .option(
      '--max-sessions <n>',
      'sessions to keep; at the limit, a new one replaces the oldest ended one (default: 10000)',
      count,
    )
    .option('--hint-url <url>', 'send a hint there whenever a session changes (default: none)', webUrl);
}

const count = wholeNumber(1, 1_000_000);

function cancelEndedStatus(text: string): 400 | 409 {
  if (text === '400') return 400;
  if (text === '409') return 409;
  throw new InvalidArgumentError('must be 400 or 409.');
}

/**
 * Returns the sandbox's option for sending hints, which make workers poll early. The secret comes from the same setting as for workers. It is not a
 * flag, because all users of the machine can see the flags of a process. Throws `SettingsError`.
 */
async function hintsTo(url: string | undefined): Promise<Pick<SandboxOptions, 'hints'>> {
  if (url === undefined) return {};
  const { readHintSecret } = await import('../../src/settings/index.js');
  const secret = readHintSecret(process.env);
  return { hints: { url, ...(secret !== undefined && { secret }) } };
}

/** Returns the sandbox's options for the flags. Throws the errors of `loadClients`. */
export function sandboxOptionsOf(flags: SandboxFlags, loadClients: ClientLoader): SandboxOptions {
  const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[];
  const given = names.filter((name) => flags[name] !== undefined);
  return {
    ...Object.fromEntries(given.map((name) => [OPTIONS[name], flags[name]])),
    ...(flags.clients !== undefined && { clients: loadClients(flags.clients) }),
  };
}

interface ReconciliationOptions {
  readonly day: Date;
  readonly client?: string;
  readonly controlPort: number;
}

function registerReconciliation(sandbox: Command): void {
  sandbox
    .command('reconciliation')
    .description('print the reconciliation file of a day, as a running sandbox delivers it')
    .requiredOption('--day <day>', 'the day, such as 2026-05-06 (UTC)', day)
    .option('--client <clientId>', 'only the sessions of this client')
    .option('--control-port <n>', 'the control port of the sandbox', parsePort, DEV_PORTS.control)
    .addHelpText(
      'after',
      '\nBy default, paid sessions settle on the day after they were paid.\n\nExample:\n  $ paysession sandbox reconciliation --day 2026-05-06 > 2026-05-06.csv',
    )
    .action(printReconciliation);
}

/** Refuses flags between `sandbox` and a command of it: they are flags of `sandbox`, and would have no effect. */
function refuseFlagsBefore(command: Command): void {
  const { parent } = command;
  const flag = parent?.options.find(
    (option) => parent.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (flag !== undefined)
    command.error(
      `error: give ${flag.long ?? ''} after ${command.name()}: before it, the flag has no effect`,
    );
}

async function printReconciliation(options: ReconciliationOptions, command: Command): Promise<void> {
  const { client, controlPort } = options;
  refuseFlagsBefore(command);
  const query = new URLSearchParams({ day: dayOf(options.day) });
  if (client !== undefined) query.set('clientId', client);
  const response = await askControlPort(controlPort, `/reconciliation?${query.toString()}`);
  const text = await response.text();
  if (!response.ok)
    throw new PaysessionError(
      'INVALID_INPUT',
      `The sandbox returned no file (status ${response.status}): ${oneLine(text)}`,
    );
  process.stdout.write(text);
}
