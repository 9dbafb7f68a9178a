import { EXIT } from './shared/run/exit-codes';
import { needOptionalPackages } from '../src/files';

try {
  needOptionalPackages('The command line', ['commander', 'cli-table3', 'picocolors']);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(EXIT.badInput);
}
