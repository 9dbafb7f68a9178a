import { LedgerDatabase, migrate, plannedMigrations } from '../../../ledger';
import { readLedgerSettings } from '../../../src/settings';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';

export interface MigrateOptions extends JsonOption {
  readonly plan?: true;
}

export async function migrateLedger({ plan, json }: MigrateOptions): Promise<void> {
  const database = new LedgerDatabase(readLedgerSettings().url);
  try {
    const steps = plan ? await plannedMigrations(database) : await migrate(database);
    const names = steps.map(({ name }) => name);
    if (json) printJson({ [plan ? 'planned' : 'made']: names });
    else if (names.length === 0) printLine('The ledger’s tables are those of this version.');
    else printLine(`${plan ? 'Would make' : 'Made'}: ${names.join(', ')}`);
  } finally {
    await database.close();
  }
}
