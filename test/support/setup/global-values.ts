/** The database that test ledgers copy, on the PostgreSQL server that test files share. */
export const LEDGER_TEMPLATE = 'migrated_ledger';

/** Returns a value that the global setup has put into the environment. Throws an `Error` if the setup has not run. */
export function globalValue(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(
      `${name} is not set: run the tests through jest, whose global setup sets it for the project "world"`,
    );
  return value;
}

/** Returns the path of the bundle of the current workflow code. */
export const testBundle = (): string => globalValue('PAYSESSION_TEST_BUNDLE');
