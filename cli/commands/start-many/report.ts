import { oneLine, printJsonLine, printLine, printProgress } from '../../shared/output';
import { ProgressBar, type Terminal } from '../../shared/progress-bar';
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
  readonly json: boolean;
  /** Lines to do, where a bar is wanted that knows. */
  readonly total: number | undefined;
  /** Standard error, when it is a terminal: a bar is drawn on it. */
  readonly terminal: Terminal | undefined;
}

export function createReport({ json, total, terminal }: ReportOptions): Report {
  const bar = terminal === undefined ? undefined : new ProgressBar(terminal);
  const counts = { started: 0, attached: 0, failed: 0 };
  let done = 0;
  const failures: Record<string, number> = {};
  const show = (result: LineResult) => {
    if (json) printJsonLine(result);
    else if (result.outcome !== 'failed') {
      if (bar === undefined) printLine(`${result.outcome} ${result.key}`);
    } else if (bar === undefined) printProgress(describeFailure(result));
    else bar.print(describeFailure(result));
  };
  return {
    add: (result) => {
      counts[result.outcome] += 1;
      if (result.outcome === 'failed') failures[result.code] = (failures[result.code] ?? 0) + 1;
      show(result);
      done += 1;
      bar?.show({ done, total, failed: counts.failed });
    },
    end: () => {
      bar?.close();
      const summary = { ...counts, failures };
      if (json) printJsonLine({ summary });
      else printLine(describeSummary(summary));
      return summary;
    },
  };
}

function describeFailure(result: Extract<LineResult, { outcome: 'failed' }>): string {
  const { line, key, code, message } = result;
  return oneLine(`line ${line}${key === undefined ? '' : ` (${key})`}: ${code}: ${message}`);
}

function describeSummary({ started, attached, failed, failures }: Summary): string {
  const codes = Object.entries(failures).map(([code, count]) => `${count} ${code}`);
  const reasons = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
  return `${started} started, ${attached} attached, ${failed} failed${reasons}`;
}
