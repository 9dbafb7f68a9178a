import { writeBundle } from '../../../test/support/setup/write-bundle';
import { findPostgres } from '../tool/find-postgres';
import { resolveClusterPrograms } from '../tool/programs';

/** Reports missing programs once for all tests, and builds the server before the tests' time limits begin. */
export default async function globalSetup(): Promise<void> {
  await findPostgres();
  await resolveClusterPrograms((line) => process.stderr.write(`${line}\n`));
  await writeBundle();
}
