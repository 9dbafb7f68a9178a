import { needOptionalPackages } from '../src/files/optional-packages';
import { EXIT } from './shared/exit-codes';

try {
  needOptionalPackages('The command line', ['commander', 'cli-table3', 'picocolors']);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(EXIT.badInput);
}
