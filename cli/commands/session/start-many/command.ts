import type { Command } from 'commander';
import { withSessions } from '../../../shared/run/client';
import { EXIT } from '../../../shared/run/exit-codes';
import { wholeNumber } from '../../../shared/input/parse-arguments';
import { jsonLinesOption, jsonOption, jsonRows, type JsonRowsOptions } from '../../../shared/screen/output';
import { openStatusLine } from '../../../shared/screen/status-line';
import { warnOfNoWorker, warnOfPlainText } from '../../../shared/run/warnings';
import { readLines } from './read-lines';
import { createReport } from './report';
import { startLines } from './start-lines';

interface StartManyCommandOptions extends JsonRowsOptions {
  readonly concurrency: number;
}

export function registerStartMany(program: Command): void {
  program
    .command('start-many')
    .description('start many sessions; safe to run again, because it attaches to those that exist')
    .argument('<file>', 'JSON lines of {key, request, account?, policy?} (- reads standard input)')
    .option('--concurrency <n>', 'how many sessions to start at once', wholeNumber(1, 200), 20)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession start-many payments.jsonl --concurrency 50')
    .action(startMany);
}

async function startMany(file: string, { concurrency, ...options }: StartManyCommandOptions): Promise<void> {
  const total = file === '-' ? undefined : await countLines(file);
  await withSessions(async (sessions, context) => {
    if (!context.encrypts) await warnOfPlainText(sessions);
    await warnOfNoWorker(context);
    const statusLine = await openStatusLine('starting …');
    const report = createReport({ json: jsonRows(options), total, statusLine });
    try {
      for await (const result of startLines(sessions, readLines(file), concurrency)) report.add(result);
    } finally {
      if (report.end().failed > 0) process.exitCode = EXIT.someFailed;
    }
  });
}

/** Also finds out, before anything is started, whether the file can be read to its end. */
async function countLines(file: string): Promise<number> {
  let count = 0;
  for await (const { line } of readLines(file)) count += line > 0 ? 1 : 0;
  return count;
}
