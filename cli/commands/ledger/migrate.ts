import type { Command } from 'commander';
import { warnOfOpenLedger } from '../../shared/ledger';
import { printJson, printLine, type JsonOption } from '../../shared/output';

export function registerMigrate(ledger: Command): void {
  ledger
    .command('migrate')
    .description('make the ledger’s tables, or bring them to this version')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--grant <role>', 'grant this role the rights of workers: to read and to append')
    .option('--grant-keeper <role>', 'grant this role the rights of the keeper: also to make checkpoints')
    .option(
      '--grant-reports <role>',
      'let this role read the two views for reports, and no table of payments',
    )
    .option(
      '--environment <names...>',
      'where these roles may write, or read for reports, in addition to earlier grants (default: this command’s environment)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger migrate --plan\n  $ paysession ledger migrate --grant paysession_worker --grant-keeper paysession_keeper',
    )
    .action(migrateLedger);
}

interface MigrateOptions extends JsonOption {
  readonly plan?: true;
  /** The workers’ role. */
  readonly grant?: string;
  /** The keeper’s role. */
  readonly grantKeeper?: string;
  /** The role for reports. */
  readonly grantReports?: string;
  /** Environments in which these roles may write, or read for reports. */
  readonly environment?: readonly string[];
}

async function migrateLedger(options: MigrateOptions): Promise<void> {
  const { plan, json, grant: workers, grantKeeper: keeper, grantReports: reports } = options;
  const { readLedgerSettings } = await import('../../../src/settings/index.js');
  const settings = readLedgerSettings();
  const roles = { workers, keeper, reports, environments: options.environment ?? [settings.environment] };
  warnOfOpenLedger(settings);
  const { LedgerDatabase, migrate } = await import('../../../ledger/index.js');
  const { plannedMigrations } = await import('../../../ledger/postgres/migrate.js');
  const { rightsOf } = await import('../../../ledger/postgres/rights.js');
  const database = new LedgerDatabase(settings.url);
  try {
    const steps = plan ? await plannedMigrations(database) : await migrate(database, roles);
    const names = steps.map(({ name }) => name);
    const rights = rightsOf(roles);
    if (json) printJson({ [plan ? 'planned' : 'made']: names, ...(rights.length > 0 && { rights }) });
    else {
      if (names.length === 0) printLine('The ledger’s tables are those of this version.');
      else printLine(`${plan ? 'Would make' : 'Made'}: ${names.join(', ')}`);
      for (const right of rights) printLine(`${plan ? 'Would run' : 'Ran'}: ${right}`);
    }
  } finally {
    await database.close();
  }
}
