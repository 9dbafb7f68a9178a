import { oneLine, printLine, printProgress, type JsonRows } from '../../../shared/screen/output';
import { progressText } from '../../../shared/screen/progress-text';
import type { StatusLine } from '../../../shared/screen/status-line';
import { colorsOf } from '../../../shared/screen/terminal';
import type { LineResult } from './start-lines';

/** How many lines had which outcome; failures are counted by error code too. */
export interface Summary {
  readonly started: number;
  readonly attached: number;
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** Shows each line's outcome as it comes. */
export interface Report {
  add(result: LineResult): void;
  /** Shows the summary and gives it. */
  end(): Summary;
}

export interface ReportOptions {
  readonly json: JsonRows;
  /** Lines to do, where that is known. */
  readonly total: number | undefined;
  /** Shows how far it has come. */
  readonly statusLine: StatusLine;
}

export function createReport({ json, total, statusLine }: ReportOptions): Report {
  const counts = { started: 0, attached: 0, failed: 0 };
  let done = 0;
  const failures: Record<string, number> = {};
  const show = (result: LineResult) => {
    json.add(result);
    if (json.isAsked) return;
    if (result.outcome === 'failed') printProgress(describeFailure(result));
    // A person at a terminal sees the number of them.
    else if (!process.stdout.isTTY) printLine(`${result.outcome} ${result.key}`);
  };
  return {
    add: (result) => {
      counts[result.outcome] += 1;
      if (result.outcome === 'failed') failures[result.code] = (failures[result.code] ?? 0) + 1;
      show(result);
      done += 1;
      statusLine.show(progressText({ done, total, failed: counts.failed }));
    },
    end: () => {
      statusLine.close();
      const summary = { ...counts, failures };
      json.end({ name: 'lines', value: summary });
      if (!json.isAsked) printLine(describeSummary(summary));
      return summary;
    },
  };
}

function describeFailure(result: Extract<LineResult, { outcome: 'failed' }>): string {
  const { line, key, code, message } = result;
  const where = oneLine(`line ${line}${key === undefined ? '' : ` (${key})`}:`);
  return `${where} ${colorsOf(process.stderr).red(`${oneLine(code)}:`)} ${oneLine(message)}`;
}

function describeSummary({ started, attached, failed, failures }: Summary): string {
  const codes = Object.entries(failures).map(([code, count]) => `${count} ${code}`);
  const reasons = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
  return `${started} started, ${attached} attached, ${failed} failed${reasons}`;
}
