import type { Command } from 'commander';
import { warnOfOpenLedger } from '../../shared/ledger';
import { printJson, printLine, type JsonOption } from '../../shared/output';

export function registerMigrate(ledger: Command): void {
  ledger
    .command('migrate')
    .description('create the ledger’s tables, or migrate them to this version')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--grant <role>', 'grant this role the rights of workers: to read and to append')
    .option('--grant-keeper <role>', 'grant this role the rights of the keeper: also to make checkpoints')
    .option('--grant-reports <role>', 'grant this role only the right to read the two views for reports')
    .option(
      '--environment <names...>',
      'the environments in which these roles get rights; earlier grants stay (default: this command’s environment)',
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
  /** The database role of the workers. */
  readonly grant?: string;
  /** The database role of the keeper. */
  readonly grantKeeper?: string;
  /** The database role for reports. */
  readonly grantReports?: string;
  /** The environments in which these roles get rights. */
  readonly environment?: readonly string[];
}

async function migrateLedger(options: MigrateOptions, command: Command): Promise<void> {
  const { plan, json, grant: workers, grantKeeper: keeper, grantReports: reports } = options;
  if (options.environment !== undefined && (workers ?? keeper ?? reports) === undefined)
    command.error('error: --environment needs --grant, --grant-keeper or --grant-reports');
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
