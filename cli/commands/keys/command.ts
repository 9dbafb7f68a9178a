import { InvalidArgumentError, type Command } from 'commander';
import { isKeyId } from '../../../src/protocol/temporal/encrypted-payload';
import { wholeNumber } from '../../shared/input/parse-arguments';
import type { KeyCheckOptions } from './check';
import type { NewKeyOptions } from './new-key';

export function registerKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('make the keys that encrypt what Temporal stores, and change them step by step');
  keys
    .command('new')
    .description('generate a key, and say what to do with it')
    .option('--id <id>', 'its id, which is stored in plain text (default: today’s date)', keyId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys new >> keys.txt')
    .action(async (options: NewKeyOptions) => {
      const { printNewKey } = await import('./new-key.js');
      printNewKey(options);
    });
  keys
    .command('check')
    .description(
      'show which keys are set here, which the workers have, which open sessions need, and the next step',
    )
    .option('--limit <n>', 'check at most this many open sessions', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession keys check')
    .action(async (options: KeyCheckOptions) => {
      const { printCheck } = await import('./check.js');
      await printCheck(options);
    });
}

function keyId(text: string): string {
  if (isKeyId(text)) return text;
  throw new InvalidArgumentError('must be 1 to 64 letters, digits, dots, hyphens or underscores.');
}
