import type { Command } from 'commander';
import { pastTime } from '../../shared/input/parse-arguments';
import type { MigrateOptions } from './migrate';
import type { JsonOption } from '../../shared/screen/output';
import type { SweepCommandOptions } from './sweep';

export function registerLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('the record of sessions that outlives Temporal’s histories, in PostgreSQL');
  ledger
    .command('migrate')
    .description('make the ledger’s tables, or bring them to this version')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger migrate --plan')
    .action(async (options: MigrateOptions) => {
      const { migrateLedger } = await import('./migrate.js');
      await migrateLedger(options);
    });
  ledger
    .command('show')
    .description('show all that the ledger knows of a session, also where Temporal has forgotten it')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger show order-1042')
    .action(async (key: string, options: JsonOption) => {
      const { showEntries } = await import('./show.js');
      await showEntries(key, options);
    });
  ledger
    .command('sweep')
    .description('record what the ledger lacks of sessions that have ended, as long as Temporal keeps them')
    .option(
      '--ended-after <time>',
      'only sessions that ended after this time (ISO 8601), or within this age, such as 24h',
      pastTime,
    )
    .option('--json', 'print one JSON object a line, for each session that was mended')
    .addHelpText('after', '\nExample:\n  $ paysession ledger sweep --ended-after 24h')
    .action(async (options: SweepCommandOptions) => {
      const { printSweep } = await import('./sweep.js');
      await printSweep(options);
    });
}
