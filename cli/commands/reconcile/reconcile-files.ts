import { ReconciliationTally, type ReconcileOptions } from '../../../ledger';
import { readText } from '../../shared/input/input-text';
import { EXIT } from '../../shared/run/exit-codes';
import { jsonRows, type JsonRowsOptions } from '../../shared/screen/output';
import { openStatusLine } from '../../shared/screen/status-line';
import { withLedger } from '../ledger/open-ledger';
import { warnOfOtherEnvironments } from '../ledger/own-environment';
import { createReport } from './report';

export interface ReconcileCommandOptions
  extends JsonRowsOptions, Pick<ReconcileOptions, 'columns' | 'delimiter' | 'account' | 'dryRun'> {}

/** File by file, in the order given; what is recorded of one stays, whatever becomes of the next. */
export async function reconcileFiles(
  files: readonly string[],
  { columns, delimiter, account, dryRun, ...options }: ReconcileCommandOptions,
): Promise<void> {
  const totals = new ReconciliationTally();
  const report = createReport({
    json: jsonRows(options),
    isDry: dryRun === true,
    hasSeveral: files.length > 1,
  });
  await withLedger(async (ledger) => {
    const status = await openStatusLine('reading …');
    let lines = 0;
    try {
      for (const file of files) {
        const name = file === '-' ? 'standard input' : file;
        for await (const line of ledger.reconcile(readText(file), {
          columns,
          delimiter,
          account,
          dryRun,
          name,
        })) {
          totals.add(line);
          if (line.outcome === 'unmatched') report.unmatched(name, line);
          lines += 1;
          if (lines % 500 === 0) status.show(`${lines} lines, now of ${name}`);
        }
      }
    } finally {
      status.close();
    }
    if (totals.get().reasons.unknown === lines) await warnOfOtherEnvironments(ledger);
  });
  const total = totals.get();
  report.end(total);
  if (total.unmatched > 0) process.exitCode = EXIT.someFailed;
}
