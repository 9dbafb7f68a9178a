import { Option, type Command } from 'commander';
import { DIRECTIONS, LEDGER_OUTCOMES } from '../../../ledger/sessions/summary';
import { day, dollars, wholeNumber } from '../../shared/input/parse-arguments';
import { jsonLinesOption, jsonOption } from '../../shared/screen/output';
import { EXPORT_FORMATS } from '../../../ledger/sessions/exported-line';
import type { LedgerExportOptions } from './export';
import type { LedgerListOptions } from './list';

/** The commands that list sessions from the ledger alone. */
export function registerLists(ledger: Command): void {
  ledger
    .command('list')
    .description('list sessions from the ledger alone, the one that was claimed last first')
    .option('--reference <referenceId>', 'only this reference')
    .option('--account <account>', 'only this account')
    .option('--amount <dollars>', 'only sessions of this amount', dollars)
    .addOption(
      new Option('--direction <direction>', 'only money from payors (DEBIT), or to them (CREDIT)').choices(
        DIRECTIONS,
      ),
    )
    .option('--day <day>', 'only sessions claimed on this day, such as 2026-05-06 (UTC)', day)
    .addOption(
      new Option('--outcome <outcome>', 'only sessions that have come to this').choices(LEDGER_OUTCOMES),
    )
    .addOption(new Option('--paid', 'only sessions that are paid').conflicts('unpaid'))
    .option('--unpaid', 'only sessions that are not')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 100_000), 100)
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger list --reference invoice-77\n  $ paysession ledger list --day 2026-05-06 --unpaid --jsonl',
    )
    .action(async (options: LedgerListOptions) => {
      const { printSessions } = await import('./list.js');
      await printSessions(options);
    });
  ledger
    .command('export')
    .description('write the sessions that were claimed in some days, the oldest first, without personal data')
    .requiredOption('--from <day>', 'the first day, such as 2026-05-01 (UTC)', day)
    .requiredOption('--to <day>', 'the day behind the last one, such as 2026-06-01 (UTC)', day)
    .addOption(new Option('--format <format>', 'how they are written').choices(EXPORT_FORMATS).default('csv'))
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger export --from 2026-05-01 --to 2026-06-01 > may.csv',
    )
    .action(async (options: LedgerExportOptions) => {
      const { exportSessions } = await import('./export.js');
      await exportSessions(options);
    });
}
