import { formatMoney, formatState, oneLine, printLine } from '../../shared/screen/output';
import { openStatusLine } from '../../shared/screen/status-line';
import { styleOfStanding } from '../../shared/session/styled-state';
import { colorsOf, cutTo } from '../../shared/screen/terminal';
import type { SessionEvent } from './session-events';

/** What `dev` prints while it runs. */
export interface DevLog {
  /** A line of the sandbox's log: time, method, path, status, duration. */
  readonly call: (line: string) => void;
  readonly event: (event: SessionEvent) => void;
  /** A line of the shop's, for its merchant. */
  readonly shop: (line: string) => void;
  readonly close: () => void;
}

/** Where everything is. */
export interface DevPlaces {
  /** A line each. */
  readonly addresses: readonly string[];
  /** The same, for the last line of a terminal. */
  readonly summary: string;
}

const POLL = /^\S+ GET \/api\/v2\/sessions\/[^/ ]+\/(details|status) 200 /;
/** The addresses are printed again when it has been quiet for so long. */
const QUIET_MS = 3_000;

/** Polls are counted and not printed one by one; the addresses are printed again when they have scrolled away. */
export async function openDevLog({ addresses, summary }: DevPlaces): Promise<DevLog> {
  const { stdout } = process;
  const { dim } = colorsOf(stdout);
  const statusLine = await openStatusLine(summary, { still: true });
  let polls = 0;
  let linesSince = 0;
  let quiet: NodeJS.Timeout | undefined;
  const printAddresses = () => {
    linesSince = 0;
    addresses.forEach(printLine);
  };
  const print = (line: string) => {
    printLine(line);
    linesSince += 1;
    clearTimeout(quiet);
    if (stdout.isTTY && linesSince > stdout.rows - addresses.length)
      quiet = setTimeout(printAddresses, QUIET_MS).unref();
  };
  const printPolls = () => {
    if (polls > 0 && !stdout.isTTY) print(counted(polls));
    polls = 0;
  };
  printAddresses();
  return {
    call: (line) => {
      if (POLL.test(line)) {
        polls += 1;
        statusLine.show(`${summary} · ${counted(polls)}`);
      } else {
        printPolls();
        print(stdout.isTTY ? dim(cutTo(withShortTime(line), stdout)) : line);
      }
    },
    event: (event) => {
      printPolls();
      print(eventLine(event));
    },
    shop: (line) => {
      printPolls();
      print(`shop  ${oneLine(line)}`);
    },
    close: () => {
      printPolls();
      clearTimeout(quiet);
      statusLine.close();
    },
  };
}

const counted = (polls: number): string => `${polls} ${polls === 1 ? 'poll' : 'polls'}`;

const withShortTime = (line: string): string =>
  line.replace(/^\S+/, (time) => clockTime(time)).replace(' ', '  ');

/** `14:03:21  order-1042  Completed EFT0301  $25.00` */
function eventLine(event: SessionEvent): string {
  const { stdout } = process;
  const { bold, dim, yellow } = colorsOf(stdout);
  const amount = event.amount === undefined ? '' : `  ${formatMoney(event.amount)}`;
  const state = styleOfStanding(event.standing)(formatState(event));
  const at = stdout.isTTY ? dim(clockTime(event.at)) : event.at;
  const problems = event.problems.length === 0 ? '' : `  ${yellow(event.problems.join(' '))}`;
  return `${at}  ${bold(oneLine(event.key))}  ${state}${amount}${problems}`;
}

/** The time of day here. */
function clockTime(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}
