import { InvalidArgumentError, Option, type Command } from 'commander';
import type { SandboxOptions } from '../../../sandbox';
import { duration, webUrl, wholeNumber } from '../../shared/input/parse-arguments';
import { DEFAULT_CLIENT } from '../../../sandbox/clients';

/** The sandbox's options as the command line has them. */
export interface SandboxFlags {
  readonly data?: string;
  readonly clients?: string;
  readonly pace: number;
  readonly publicUrl?: string;
  readonly allowHost?: readonly string[];
  readonly frameAncestors?: readonly string[];
  readonly consent: boolean;
  readonly maxLoginAttempts?: number;
  readonly failWithoutGuarantee?: true;
  readonly tokenLifetime?: number;
  readonly idleExpiry?: number;
  readonly absoluteExpiry?: number;
  readonly rateLimit?: number;
  readonly rateWindow?: number;
  readonly retryAfter?: 'seconds' | 'http-date';
  readonly cancelEndedStatus?: 400 | 409;
  readonly cancelUnsigned?: true;
  readonly maxSessions?: number;
}

/** Reads a JSON file of clients. */
type ClientLoader = (file: string) => NonNullable<SandboxOptions['clients']>;

export function addSandboxFlags(command: Command): Command {
  return command
    .option('--data <dir>', 'folder that keeps sessions, tokens and mails across restarts (default: none)')
    .option(
      '--clients <file>',
      `JSON file with the clients (default: one client, ${DEFAULT_CLIENT.clientId} / ${DEFAULT_CLIENT.clientSecret})`,
    )
    .option('--pace <ms>', 'milliseconds between the steps of a scenario', wholeNumber(1, 3_600_000), 1_000)
    .option('--public-url <url>', 'where payors reach the sandbox, for links in mails', webUrl)
    .option('--allow-host <name...>', 'additional host names to serve, besides 127.0.0.1 and localhost')
    .option('--frame-ancestors <source...>', 'who may embed the hosted flow, such as https://shop.example')
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
    .option('--max-sessions <n>', 'sessions to keep; ended ones are dropped first (default: 10000)', count);
}

const count = wholeNumber(1, 1_000_000);

function cancelEndedStatus(text: string): 400 | 409 {
  if (text === '400') return 400;
  if (text === '409') return 409;
  throw new InvalidArgumentError('must be 400 or 409.');
}

/** Throws what `loadClients` throws. */
export function sandboxOptionsOf(flags: SandboxFlags, loadClients: ClientLoader): SandboxOptions {
  const options = {
    dataDir: flags.data,
    clients: flags.clients === undefined ? undefined : loadClients(flags.clients),
    paceMs: flags.pace,
    publicUrl: flags.publicUrl,
    allowedHosts: flags.allowHost,
    frameAncestors: flags.frameAncestors,
    consentByDefault: flags.consent,
    maxLoginAttempts: flags.maxLoginAttempts,
    failWithoutGuarantee: flags.failWithoutGuarantee,
    tokenLifetimeMs: flags.tokenLifetime,
    idleExpiryMs: flags.idleExpiry,
    absoluteExpiryMs: flags.absoluteExpiry,
    rateLimitRequests: flags.rateLimit,
    rateLimitWindowMs: flags.rateWindow,
    retryAfterForm: flags.retryAfter,
    cancelEndedStatus: flags.cancelEndedStatus,
    cancellableWhileUnsigned: flags.cancelUnsigned,
    maxSessions: flags.maxSessions,
  } satisfies { [Name in keyof SandboxOptions]: SandboxOptions[Name] | undefined };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}
