import { Option } from 'commander';
import { wantsJson } from './early-error';
import { colorsOf, wrapped } from './terminal';

/** Prints the texts of the command line. The answer goes to standard output. Progress and errors go to standard error. */

/** The option `--json` of a command. */
export interface JsonOption {
  readonly json?: true;
}

/** The option `--jsonl` of a command that prints several answers while it runs. */
export interface JsonLinesOption {
  readonly jsonl?: true;
}

/** The options of a command that answers with several values. */
export type JsonRowsOptions = JsonOption & JsonLinesOption;

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Prints a JSON value on one line. */
export function printJsonLine(value: unknown): void {
  printLine(JSON.stringify(value));
}

/** Prints an event of a running command with the current time. With `--jsonl`, prints JSON. Otherwise prints `text`. */
export function printEvent(event: object, text: string, { jsonl }: JsonLinesOption): void {
  const at = new Date().toISOString();
  if (jsonl) printJsonLine({ at, ...event });
  else printLine(`${at}  ${text}`);
}

/** Prints several values as JSON, either as an array or with one line for each value. */
export interface JsonRows {
  /** True if the options ask for JSON. */
  readonly isAsked: boolean;
  readonly add: (value: unknown) => void;
  /**
   * Ends the output. With `--jsonl`, prints the summary as the last line. With `--json`, prints the array of values. If there is a summary, prints an
   * object instead, which has the array under `name`, and the summary.
   */
  readonly end: (summary?: { readonly name: string; readonly value: object }) => void;
}

/** Returns an object that prints values. With `--jsonl`, each value is printed at once. With `--json`, all values are printed at the end. */
export function jsonRows({ json, jsonl }: JsonRowsOptions): JsonRows {
  const rows: unknown[] = [];
  return {
    isAsked: (json ?? jsonl) === true,
    add: (value) => {
      if (jsonl) printJsonLine(value);
      else if (json) rows.push(value);
    },
    end: (summary) => {
      if (jsonl && summary) printJsonLine({ summary: summary.value });
      else if (json)
        printJson(summary === undefined ? rows : { [summary.name]: rows, summary: summary.value });
    },
  };
}

/** Returns the option `--json` of a command that answers with several values. */
export const jsonOption = (): Option =>
  new Option('--json', 'print one JSON array or object, at the end').conflicts('jsonl');

/** Returns the option `--jsonl`. */
export const jsonLinesOption = (): Option =>
  new Option('--jsonl', 'print one JSON object per line, each as it comes');

/** Prints progress for a person. With `--json` or `--jsonl`, prints nothing. */
export function printProgress(line: string): void {
  if (!wantsJson()) process.stderr.write(`${wrapped(asTyped(line), process.stderr)}\n`);
}

/** Prints a warning on standard error. With `--json` or `--jsonl`, prints it as a JSON object on one line. */
export function printWarning(message: string): void {
  const { stderr } = process;
  const text = wantsJson()
    ? JSON.stringify({ warning: { message } })
    : wrapped(`${colorsOf(stderr).yellow('warning:')} ${asTyped(message)}`, stderr, 2);
  stderr.write(`${text}\n`);
}

/** Matches characters that break lines, move the cursor, change the direction of writing, or are invalid. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text on one line. Control characters become escapes such as `\n`. Use it for texts that come from other parties. */
export function oneLine(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return known ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Returns the status and, if there is one, the code, such as `Completed EFT0301`. Without a status, returns the session's phase. */
export function formatState({ status, code, phase = 'creating' }: ShownState): string {
  return oneLine([status ?? phase, code].filter((part) => part !== undefined).join(' '));
}

interface ShownState {
  readonly status?: string;
  readonly code?: string;
  readonly phase?: string;
}

/** Returns a text such as `1 session` or `2 sessions`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Formats an amount, such as `$1,250.00`. */
export const formatMoney = (dollars: number): string =>
  dollars.toLocaleString('en-CA', { style: 'currency', currency: 'CAD' });

/**
 * Matches the path of a `paysession` program that is installed in a project. A shell does not find such a program by its name alone. npm's global
 * folder on Windows does not match.
 */
const INSTALLED =
  /(?<!\\(?:npm|nodejs))[\\/]node_modules[\\/](?:\.bin[\\/]paysession(?:\.\w+)?|(?:.*[\\/])?paysession[\\/]dist[\\/]cli[\\/]main\.js)$/;

/** Returns the text that a user must type before `paysession`. In a project, it is `npx ` or `pnpm exec `. For a global installation, it is ''. */
export function runnerOf(
  started = process.argv[1] ?? '',
  agent = process.env['npm_config_user_agent'] ?? '',
): string {
  if (!INSTALLED.test(started)) return '';
  return agent.startsWith('pnpm/') ? 'pnpm exec ' : 'npx ';
}

/** Changes the `paysession` commands in a text so that a user can type them as they are printed, for instance with `npx `. */
export const asTyped = (text: string, runner = runnerOf()): string =>
  text.replaceAll(/(`|^ *\$ (?:\(umask 077; )?)paysession (?=[a-z-])/gm, `$1${runner}paysession `);
