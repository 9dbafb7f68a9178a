import { DEFAULT_TASK_QUEUE } from '../../../src/protocol/names';
import type { TemporalSettings } from '../../../src/settings';
import { counted, formatMoney, formatState, oneLine, printLine } from '../../shared/output';
import { styleOfStanding } from '../../shared/session-state';
import type { Stack } from '../../shared/stack';
import { openStatusLine } from '../../shared/status-line';
import { colorsOf, cutTo, type Screen } from '../../shared/terminal';
import type { SessionEvent } from './session-events';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** The output of `paysession dev` while it runs. */
export interface DevLog {
  /** Prints a line of the sandbox's or the console's log: a call (time, method, path, status and duration), or an error. */
  readonly call: (line: string) => void;
  readonly event: (event: SessionEvent) => void;
  /** Prints a line of the sample shop's log. */
  readonly shop: (line: string) => void;
  readonly close: () => void;
}

/** The addresses that `dev` prints. */
export interface DevPlaces {
  /** The lines to print, one for each address. */
  readonly addresses: readonly string[];
  /** The most important addresses, for the last line of the terminal. */
  readonly summary: string;
}

const POLL = /^\S+ GET \/api\/v2\/sessions\/[^/ ]+\/(details|status) 200 /;
const TIMED = /^\d{4}-\d{2}-\d{2}T\S+ /;
/** If the addresses have scrolled away, they are printed again after this time without output, in milliseconds. */
const QUIET_MS = 3_000;

/** Prints the addresses, and then the log. Polls are only counted. At a terminal, prints the addresses again when they have scrolled away. */
export async function openDevLog({ addresses, summary }: DevPlaces): Promise<DevLog> {
  const { stdout } = process;
  const statusLine = await openStatusLine(summary, { still: true });
  let polls = 0;
  let linesSince = 0;
  let quiet: NodeJS.Timeout | undefined;
  const printAddresses = () => {
    linesSince = 0;
    addresses.forEach(printLine);
  };
  const printPolls = () => {
    if (polls > 0 && !stdout.isTTY) printLine(counted(polls, 'poll'));
    polls = 0;
  };
  const print = (line: string) => {
    printPolls();
    printLine(line);
    linesSince += 1;
    clearTimeout(quiet);
    if (stdout.isTTY && linesSince > stdout.rows - addresses.length)
      quiet = setTimeout(printAddresses, QUIET_MS).unref();
  };
  printAddresses();
  return {
    call: (line) => {
      if (POLL.test(line)) {
        polls += 1;
        statusLine.show(`${summary} · ${counted(polls, 'poll')}`);
      } else print(shownCall(line, stdout));
    },
    event: (event) => {
      print(eventLine(event));
    },
    shop: (line) => {
      print(`shop  ${oneLine(line)}`);
    },
    close: () => {
      printPolls();
      clearTimeout(quiet);
      statusLine.close();
    },
  };
}

/**
 * Returns a line of the log in the form in which a screen shows it. On a terminal, a line that begins with a time is shown in grey and cut to the
 * terminal's width. A line without a time reports an error, so it is never cut.
 */
export function shownCall(line: string, screen: Screen): string {
  if (!screen.isTTY || !TIMED.test(line)) return line;
  return colorsOf(screen).dim(cutTo(withShortTime(line), screen));
}

const withShortTime = (line: string): string =>
  line.replace(/^\S+/, (time) => clockTime(time)).replace(' ', '  ');

/** Returns a line such as `14:03:21  order-1042  Completed EFT0301  $25.00`. */
function eventLine(event: SessionEvent): string {
  const { stdout } = process;
  const { bold, dim, yellow } = colorsOf(stdout);
  const amount = event.amount === undefined ? '' : `  ${formatMoney(event.amount)}`;
  const state = styleOfStanding(event.standing)(formatState(event));
  const at = stdout.isTTY ? dim(clockTime(event.at)) : event.at;
  const problems = event.problems.length === 0 ? '' : `  ${yellow(event.problems.join(' '))}`;
  return `${at}  ${bold(oneLine(event.key))}  ${state}${amount}${problems}`;
}

/** Returns the local time of day. */
function clockTime(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

/** The addresses of parts that are not in the stack, and the settings that other commands read. */
interface OwnPlaces {
  readonly settings: TemporalSettings;
  readonly shopUrl: string;
  readonly consoleUrl: string;
  readonly metricsUrl: string | undefined;
}

/** Returns the addresses that `dev` prints. */
export function placesOf(stack: Stack, { settings, shopUrl, consoleUrl, metricsUrl }: OwnPlaces): DevPlaces {
  const { temporalAddress: address, uiUrl, sandboxUrl, controlUrl, ledger } = stack;
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const line = exportLine({ address, namespace: stack.client.options.namespace }, settings);
  return {
    addresses: [
      `Temporal ${address}`,
      `web UI   ${uiUrl ?? 'none'}`,
      `sandbox  ${sandboxUrl}  (client ${clientId}, secret ${clientSecret})`,
      `control  ${controlUrl ?? 'none'}  (faults, clock and payors; paysession play)`,
      `shop     ${shopUrl}  (log in to its banks as payor, password sandbox)`,
      `console  ${consoleUrl}`,
      `ledger   ${ledgerLine(ledger)}`,
      ...(metricsUrl === undefined ? [] : [`metrics  ${metricsUrl}`]),
      'worker   running',
      ...(line === undefined ? [] : ['In each other terminal, run this first:', line]),
      'Ctrl-C stops all of them.',
    ],
    summary: `shop ${shopUrl} · console ${consoleUrl} · UI ${uiUrl ?? 'none'}`,
  };
}

/**
 * Returns the shell command that makes other commands in a terminal use the Temporal server and the task queue of `dev`. Returns `undefined` if the
 * settings already name both.
 */
export function exportLine(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  { connection, ...set }: Pick<TemporalSettings, 'connection' | 'namespace' | 'taskQueue'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const values = Object.entries({
    ...(connection.address.replace(/^localhost:/, '127.0.0.1:') !== address && { TEMPORAL_ADDRESS: address }),
    ...(set.namespace !== namespace && { TEMPORAL_NAMESPACE: namespace }),
    // An API key turns TLS on, even if only a profile of Temporal's configuration file has it.
    ...(connection.tls && { TEMPORAL_TLS: 'false' }),
    ...(set.taskQueue !== DEFAULT_TASK_QUEUE && { PAYSESSION_TASK_QUEUE: DEFAULT_TASK_QUEUE }),
  });
  if (values.length === 0) return undefined;
  return platform === 'win32'
    ? values.map(([name, value]) => `$env:${name} = '${value}'`).join('; ')
    : `export ${values.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

/** Describes the ledger. A URL from the settings is not printed, because it may contain a password. */
function ledgerLine(ledger: Stack['ledger']): string {
  if (ledger === undefined) return 'none';
  const { ownUrl, missing } = ledger;
  if (missing !== undefined) return `none: ${missing}`;
  return ownUrl === undefined
    ? 'as PAYSESSION_LEDGER_URL says'
    : `${ownUrl}  (PAYSESSION_LEDGER_URL for paysession ledger list)`;
}
