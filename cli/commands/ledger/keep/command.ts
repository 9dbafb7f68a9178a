import type { Command } from 'commander';
import { duration, pastTime } from '../../../shared/input/parse-arguments';
import { LISTEN_HOST, parsePort } from '../../../shared/input/ports';
import { jsonLinesOption } from '../../../shared/screen/output';
import type { KeepCommandOptions } from './keep';

export function registerKeep(ledger: Command): void {
  ledger
    .command('keep')
    .description('keep the ledger in order until Ctrl-C: sign checkpoints, record what it lacks, verify it')
    .option('--publish <folder>', 'keep each checkpoint as a file of this folder, away from the database')
    .option('--checkpoint-every <duration>', 'sign what is new this often', duration, duration('5m'))
    .option('--sweep-every <duration>', 'look for sessions to record this often', duration, duration('1h'))
    .option('--verify-every <duration>', 'verify the whole ledger this often', duration, duration('1d'))
    .option(
      '--ended-after <time>',
      'the first look is at sessions that ended after this time (ISO 8601) or within this age (default: all that Temporal keeps)',
      pastTime,
    )
    .option('--earlier-key <verifier-key...>', 'a key that earlier checkpoints were signed with')
    .option('--metrics-port <n>', 'port of /metrics and /livez (default: none)', parsePort)
    .option('--metrics-host <host>', 'address to listen on', LISTEN_HOST)
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nRun one for each environment, beside the workers. PAYSESSION_LEDGER_SIGNING_KEY signs the checkpoints; without it none are made.\n\nExample:\n  $ paysession ledger keep --publish /mnt/checkpoints --metrics-port 9465',
    )
    .action(async (options: KeepCommandOptions) => {
      const { runKeeper } = await import('./keep.js');
      await runKeeper(options);
    });
}
