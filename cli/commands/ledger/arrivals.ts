import type { Command } from 'commander';
import type { ArrivalDay } from '../../../ledger/sessions/ledger-payments';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import {
  formatMoney,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  printLine,
  type JsonRowsOptions,
} from '../../shared/output';
import { day } from '../../shared/parse-arguments';
import { formatTable } from '../../shared/table';
import { DAY_MS, dayOf } from '../../../src/contract/values/day';

/** Adds the command that compares the expected money of each day with the money that has arrived. */
export function registerArrivals(ledger: Command): void {
  ledger
    .command('arrivals')
    .description(
      'show, for each day, the sum of the payments that ended paid, and how much of it has arrived, came back or is outstanding',
    )
    .option('--from <day>', 'the first day, such as 2026-05-01 (default: 30 days ago)', day)
    .option('--to <day>', 'the last day (default: today)', day)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nDays are in PAYSESSION_CONSOLE_TIME_ZONE. Money is late after PAYSESSION_LEDGER_LATE_AFTER_DAYS business days.' +
        '\n\nExamples:\n  $ paysession ledger arrivals --from 2026-05-01 --to 2026-05-31\n  $ paysession ledger list --late',
    )
    .action(printArrivals);
}

interface ArrivalsOptions extends JsonRowsOptions {
  readonly from?: Date;
  readonly to?: Date;
}

const SHOWN_MS = 30 * DAY_MS;

async function printArrivals({ from, to, ...options }: ArrivalsOptions): Promise<void> {
  const json = jsonRows(options);
  const now = Date.now();
  // In some time zones, today is already tomorrow's date in UTC.
  const range = {
    from: dayOf(from ?? new Date(now - SHOWN_MS)),
    to: dayOf(to ?? new Date(now + DAY_MS)),
  };
  await withLedger(async (ledger) => {
    const days = await ledger.payments.arrivals(range);
    if (days.length === 0) await warnOfOtherEnvironments(ledger);
    for (const one of days) json.add(one);
    json.end();
    if (json.isAsked) return;
    if (days.length === 0) printLine('No payments were paid on these days.');
    else printLine(tableOf(days));
  });
}

/** Returns a table. It has a column of directions only if some payments have the direction CREDIT. */
function tableOf(days: readonly ArrivalDay[]): string {
  const direction = days.some((one) => one.direction === 'CREDIT') && 'DIRECTION';
  return formatTable(
    ['DAY', direction, 'PAYMENTS', 'EXPECTED', 'ARRIVED', 'CAME BACK', 'DIFFERENCE', 'LATE'],
    days.map((one) => [
      one.day,
      one.direction,
      String(one.payments),
      formatMoney(Number(one.expected)),
      formatMoney(Number(one.arrived)),
      formatMoney(Number(one.returned)),
      formatMoney(Number(one.outstanding)),
      one.latePayments === 0 ? '' : String(one.latePayments),
    ]),
  );
}
