import { LedgerDatabase, migrate, plannedMigrations, rightsOf } from '../../../ledger';
import { readLedgerSettings } from '../../../src/settings';
import { warnOfOpenLedger } from '../../shared/run/settings-warnings';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';

export interface MigrateOptions extends JsonOption {
  readonly plan?: true;
  /** The workers’ role. */
  readonly grant?: string;
  /** The keeper’s role. */
  readonly grantKeeper?: string;
}

export async function migrateLedger(options: MigrateOptions): Promise<void> {
  const { plan, json, grant: workers, grantKeeper: keeper } = options;
  const roles = { workers, keeper };
  const settings = readLedgerSettings();
  warnOfOpenLedger(settings);
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
