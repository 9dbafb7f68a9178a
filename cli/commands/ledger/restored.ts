import { type Command, InvalidArgumentError } from 'commander';
import type { PaymentLedger } from '../../../ledger';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/output';
import { pastTime } from '../../shared/parse-arguments';
import { DAY_MS, dayOf } from '../../../src/contract/values/day';

export function registerRestored(ledger: Command): void {
  ledger
    .command('restored')
    .description('after a restore from a backup, list the days whose reconciliation files must be read again')
    .option(
      '--backup <time>',
      'when the backup was made (ISO 8601), or its age (default: when the newest entry was written)',
      pastTime,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nRun this before workers record again, or give the time of the backup.\n\nExample:\n  $ paysession ledger restored --backup 2026-05-06T14:00:00Z',
    )
    .action(printRestored);
}

interface RestoredOptions extends JsonOption {
  readonly backup?: Date;
}

/** Prints the days whose reconciliation files may be missing in a restored ledger. Standard output has only the days, so that scripts can use them. */
async function printRestored({ backup, json }: RestoredOptions): Promise<void> {
  const newest = backup ?? (await withLedger(newestIn));
  if (newest === undefined) {
    // The JSON has no member `days` here. A script could mistake an empty list for the answer that no files are missing.
    if (json) printJson({ isEmpty: true });
    return;
  }
  const now = new Date();
  if (newest > now) throw behind(newest);
  const days = daysSince(newest, now);
  if (json) {
    printJson({ since: newest.toISOString(), days });
    return;
  }
  printProgress(
    `The ledger may lack what was recorded since ${newest.toISOString()}. Read again the reconciliation files that arrived on these days:`,
  );
  for (const day of days) printLine(day);
}

/** Returns the time at which the newest entry was written. If the environment has no entries, reports that. */
async function newestIn(ledger: PaymentLedger): Promise<Date | undefined> {
  const newest = await ledger.newestAt();
  if (newest !== undefined) return newest;
  await warnOfOtherEnvironments(ledger);
  printProgress(
    `The ledger has no entries in this environment, ${ledger.environment}: read all reconciliation files again.`,
  );
  return undefined;
}

const behind = (newest: Date): InvalidArgumentError =>
  new InvalidArgumentError(
    `The newest entry was written at ${newest.toISOString()}, which is in the future of this machine’s clock. Correct the clock: it decides which days are listed.`,
  );

/** Returns the days in UTC, from the day before a time until today. The day before counts, because the time is on that day west of UTC. */
export function daysSince(time: Date, now: Date): readonly string[] {
  const dayNumber = (at: Date): number => Math.floor(at.getTime() / DAY_MS);
  const first = dayNumber(time) - 1;
  return Array.from({ length: dayNumber(now) - first + 1 }, (_day, index) =>
    dayOf(new Date((first + index) * DAY_MS)),
  );
}
