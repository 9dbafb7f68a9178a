import type { Command } from 'commander';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import { pastTime, textUpTo, wholeNumber } from '../../shared/input/parse-arguments';
import type { CheckpointOptions } from './checkpoint';
import type { EraseOptions } from './erase';
import type { MigrateOptions } from './migrate';
import type { ProveOptions } from './prove';
import { jsonLinesOption, jsonOption, type JsonOption } from '../../shared/screen/output';
import { registerKeep } from './keep/command';
import { registerLists } from './lists';
import type { RestoredOptions } from './restored';
import type { SweepCommandOptions } from './sweep';
import type { VerifyCommandOptions } from './verify';

export function registerLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('the record of sessions that outlives Temporal’s histories, in PostgreSQL');
  ledger
    .command('migrate')
    .description('make the ledger’s tables, or bring them to this version')
    .option('--plan', 'say what would be done, and change nothing')
    .option('--grant <role>', 'give this role what workers need: to read and to append')
    .option('--grant-keeper <role>', 'give this role what the keeper needs: to make checkpoints as well')
    .option(
      '--environment <names...>',
      'where these roles may write; they keep what they have (default: this command’s environment)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger migrate --plan\n  $ paysession ledger migrate --grant paysession_worker --grant-keeper paysession_keeper',
    )
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
  registerLists(ledger);
  ledger
    .command('new-key')
    .description('generate a key that signs checkpoints, and say what to do with it')
    .argument('<name>', 'whose ledger it is, such as shop.example/ledger: it stands in each checkpoint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger new-key shop.example/ledger > signing-key.txt')
    .action(async (name: string, options: JsonOption) => {
      const { printSigningKey } = await import('./new-key.js');
      printSigningKey(name, options);
    });
  ledger
    .command('checkpoint')
    .description(
      'sign what the ledger holds now; keep it where the database’s administrator cannot change it',
    )
    .option('--after <file>', 'the checkpoints that you have kept: the log must have grown from each of them')
    .option('--first', 'you have kept none yet, so there is nothing to compare with')
    .option('--out <file>', 'write the checkpoint to this file, and the answer for people to standard output')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger checkpoint --first >> checkpoints.txt\n  $ paysession ledger checkpoint --after checkpoints.txt >> checkpoints.txt',
    )
    .action(async (options: CheckpointOptions) => {
      const { printCheckpoint } = await import('./checkpoint.js');
      await printCheckpoint(options);
    });
  ledger
    .command('verify')
    .description('check that nothing in the ledger was changed, removed, inserted or rolled back')
    .option('--since <file>', 'checkpoints that were kept elsewhere: each in this file is compared')
    .option(
      '--key <verifier-key...>',
      'check the checkpoints’ signatures with these keys (default: that of the signing key, if one is set)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger verify --since checkpoints.txt --key "$(cat verifier-key.txt)"',
    )
    .action(async (options: VerifyCommandOptions) => {
      const { printVerification } = await import('./verify.js');
      await printVerification(options);
    });
  ledger
    .command('prove')
    .description('prove that an entry is in the log of the last checkpoint, for who has only that')
    .argument('<key>', 'the session’s key')
    .option(
      '--number <n>',
      'which of its entries (default: the last one that is covered)',
      wholeNumber(1, 1_000_000),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger prove order-1042')
    .action(async (key: string, options: ProveOptions) => {
      const { printProof } = await import('./prove.js');
      await printProof(key, options);
    });
  ledger
    .command('sweep')
    .description('record what the ledger lacks of sessions that have ended, as long as Temporal keeps them')
    .option(
      '--ended-after <time>',
      'only sessions that ended after this time (ISO 8601), or within this age, such as 24h',
      pastTime,
    )
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession ledger sweep --ended-after 24h')
    .action(async (options: SweepCommandOptions) => {
      const { printSweep } = await import('./sweep.js');
      await printSweep(options);
    });
  ledger
    .command('restored')
    .description('list the days whose reconciliation files to read again after a restore from a backup')
    .option(
      '--backup <time>',
      'when the backup was made (ISO 8601), or its age (default: when the newest entry was written)',
      pastTime,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nStart it before workers record again, or give the time of the backup.\n\nExample:\n  $ paysession ledger restored --backup 2026-05-06T14:00:00Z',
    )
    .action(async (options: RestoredOptions) => {
      const { printRestored } = await import('./restored.js');
      await printRestored(options);
    });
  registerKeep(ledger);
  ledger
    .command('erase')
    .description('erase a session’s personal data from the ledger for good; amounts, states and times stay')
    .argument('<key>', 'the session’s key')
    .requiredOption(
      '--by <name>',
      'who erases them; stays readable in the ledger',
      textUpTo(MAX_DECIDER_LENGTH),
    )
    .requiredOption(
      '--reason <text>',
      'why; stays readable in the ledger: do not name the payor',
      textUpTo(MAX_REASON_LENGTH),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger erase order-1042 --by avery --reason "request 77 of the privacy desk"',
    )
    .action(async (key: string, options: EraseOptions) => {
      const { eraseSession } = await import('./erase.js');
      await eraseSession(key, options);
    });
  ledger
    .command('rewrap')
    .description('wrap the keys of all sessions’ personal data with the current encryption key')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nAfterwards the ledger needs no earlier key. Safe to stop and to run again, and beside workers; first let all of them have the new key as the current one.\n\nExample:\n  $ paysession ledger rewrap',
    )
    .action(async (options: JsonOption) => {
      const { printRewrap } = await import('./rewrap.js');
      await printRewrap(options);
    });
}
