import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { explain } from '../../../src/errors';
import type { PaymentSessions, SessionEnd, StartedSession } from '../../../src/sessions';
import { EXIT } from '../../shared/exit-codes';
import { readText } from '../../shared/input-text';
import {
  jsonLinesOption,
  jsonOption,
  jsonRows,
  type JsonRowsOptions,
  oneLine,
  printLine,
  printProgress,
  type JsonRows,
} from '../../shared/output';
import { wholeNumber } from '../../shared/parse-arguments';
import { withSessions } from '../../shared/sessions';
import { openStatusLine, type StatusLine, progressText } from '../../shared/status-line';
import { colorsOf } from '../../shared/terminal';
import { failureOf, warnOfNoWorker, warnOfPlainText } from './start';
import { isRecord } from '../../../src/contract/values/json';
import { jsonFault } from '../../../src/contract/values/outside-text';
import type { PaymentSessionInput } from '../../../src/protocol/input';

interface StartManyCommandOptions extends JsonRowsOptions {
  readonly concurrency: number;
}

export function registerStartMany(program: Command): void {
  program
    .command('start-many')
    .description('start many sessions; safe to run again, because existing sessions are not started twice')
    .argument('<file>', 'JSON lines of {key, request, account?, policy?, metadata?} (- reads standard input)')
    .option('--concurrency <n>', 'how many sessions to start at once', wholeNumber(1, 200), 20)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession start-many payments.jsonl --concurrency 50')
    .action(startMany);
}

async function startMany(file: string, { concurrency, ...options }: StartManyCommandOptions): Promise<void> {
  const total = (await isReadOnce(file)) ? undefined : await countLines(file);
  await withSessions(async (sessions, context) => {
    if (!context.encrypts) await warnOfPlainText(sessions);
    await warnOfNoWorker(context);
    const statusLine = await openStatusLine('starting …');
    const report = createReport(jsonRows(options), total, statusLine);
    try {
      for await (const result of startLines(sessions, readLines(file), concurrency)) report.add(result);
    } finally {
      statusLine.close();
      if (report.end() > 0) process.exitCode = EXIT.someFailed;
    }
  });
}

/** True if the input can be read only once, because it is standard input or a pipe such as `<(generate)` in a shell. */
const isReadOnce = async (file: string): Promise<boolean> =>
  file === '-' ||
  (await stat(file)
    .then((found) => found.isFIFO())
    .catch(() => false));

/** Counts the lines that are not blank. If the file cannot be read to its end, throws, before any session is started. */
async function countLines(file: string): Promise<number> {
  let count = 0;
  for await (const { line } of readLines(file)) count += line > 0 ? 1 : 0;
  return count;
}

/** A line of the file that is not blank. It has the input of a session, or the reason why the line is invalid. */
export type InputLine =
  | { readonly line: number; readonly input: PaymentSessionInput }
  | { readonly line: number; readonly problem: string };

/** The longest line, in UTF-16 code units. The input of a session is always shorter: contract rule A20 (docs/contract.md). */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Reads a file of JSON lines. For the path `-`, reads standard input. Reads a line only when the caller takes it. Skips blank lines. The first line has
 * the number 1. Throws `PaysessionError` `INVALID_FILE` if the file cannot be read.
 */
export async function* readLines(path: string): AsyncIterable<InputLine> {
  let line = 0;
  for await (const text of linesOf(readText(path))) {
    line += 1;
    if (text.length > MAX_LINE_LENGTH) yield { line, problem: 'is too long' };
    else if (text.trim() !== '') yield parseLine(line, text.trim());
  }
}

/** Splits a text into lines. If a line is too long, drops the rest of the line. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest = (rest + first).slice(0, MAX_LINE_LENGTH + 1);
    for (const other of others) {
      yield rest;
      rest = other;
    }
  }
  yield rest;
}

/** Parses a line, and checks that it is a JSON object. The input itself is validated later, when the session is started. */
function parseLine(line: number, text: string): InputLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { column, expected } = jsonFault(text) ?? { column: 1, expected: 'a value' };
    return { line, problem: `is not JSON: ${expected} is expected at column ${column}` };
  }
  if (!isRecord(value)) return { line, problem: 'is not a JSON object' };
  return { line, input: value as unknown as PaymentSessionInput };
}

/** The outcome of one line. */
export type LineResult =
  | {
      readonly line: number;
      readonly key: string;
      readonly outcome: 'started' | 'attached';
      readonly workflowId: string;
      /** The end of the session. Present if the key already had a session, and that session had ended. */
      readonly end?: SessionEnd;
    }
  | {
      readonly line: number;
      readonly key?: string;
      readonly outcome: 'failed';
      readonly code: string;
      readonly message: string;
      /** True if the key already had a session, and that session has failed. */
      readonly attached?: true;
    };

/** Starts the session of each line, and reports the outcome of each line. A limited number of sessions is started at the same time. */
async function* startLines(
  sessions: PaymentSessions,
  lines: AsyncIterable<InputLine>,
  concurrency: number,
): AsyncIterable<LineResult> {
  const bad: LineResult[] = [];
  // The line numbers of inputs whose results have not come yet. Results come in the order of the inputs, so the first number belongs to the next result.
  const numbers: number[] = [];
  async function* inputs(): AsyncIterable<PaymentSessionInput> {
    for await (const read of lines) {
      if ('problem' in read) {
        bad.push({ line: read.line, outcome: 'failed', code: 'INVALID_FILE', message: read.problem });
      } else {
        numbers.push(read.line);
        yield read.input;
      }
    }
  }
  for await (const result of sessions.startMany(inputs(), { concurrency })) {
    yield* bad.splice(0);
    const line = numbers.shift() ?? 0;
    const { key } = result;
    if ('error' in result) {
      const { code, message } = result.error;
      yield { line, ...(key !== '' && { key }), outcome: 'failed', code, message };
    } else {
      yield { line, key, ...lineOf(result) };
    }
  }
  yield* bad;
}

/** Returns the outcome of a line. If the key already had a session, and that session has failed, the line has failed. */
function lineOf({ attached, end, session: { workflowId } }: StartedSession) {
  const code = failureOf(end);
  if (code !== undefined) return { outcome: 'failed', code, message: explain(code), attached: true } as const;
  return {
    outcome: attached ? 'attached' : 'started',
    workflowId,
    ...(end !== undefined && { end }),
  } as const;
}

/** Shows the outcome of each line, and at the end the number of lines with each outcome. Failures are also counted by error code. */
function createReport(json: JsonRows, total: number | undefined, statusLine: StatusLine) {
  const counts = { started: 0, attached: 0, failed: 0 };
  let done = 0;
  const failures: Record<string, number> = {};
  const show = (result: LineResult) => {
    json.add(result);
    if (json.isAsked) return;
    if (result.outcome === 'failed') printProgress(describeFailure(result));
    // At a terminal, successful lines are only counted.
    else if (!process.stdout.isTTY) printLine(`${result.outcome} ${result.key}`);
  };
  return {
    add: (result: LineResult) => {
      counts[result.outcome] += 1;
      if (result.outcome === 'failed') failures[result.code] = (failures[result.code] ?? 0) + 1;
      show(result);
      done += 1;
      statusLine.show(progressText({ done, total, failed: counts.failed }));
    },
    /** Returns the number of lines that failed. */
    end: (): number => {
      json.end({ name: 'lines', value: { ...counts, failures } });
      const { started, attached, failed } = counts;
      const codes = Object.entries(failures).map(([code, count]) => `${count} ${code}`);
      const reasons = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
      if (!json.isAsked) printLine(`${started} started, ${attached} attached, ${failed} failed${reasons}`);
      return failed;
    },
  };
}

function describeFailure(result: Extract<LineResult, { outcome: 'failed' }>): string {
  const { line, key, code, message } = result;
  const where = oneLine(`line ${line}${key === undefined ? '' : ` (${key})`}:`);
  return `${where} ${colorsOf(process.stderr).red(`${oneLine(code)}:`)} ${oneLine(message)}`;
}
