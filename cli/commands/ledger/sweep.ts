import type { Command } from 'commander';
import type { SweptSession } from '../../../ledger';
import { EXIT } from '../../shared/exit-codes';
import {
  counted,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  printLine,
  printWarning,
  type JsonRowsOptions,
} from '../../shared/output';
import { pastTime } from '../../shared/parse-arguments';
import { withLedgerAndClient } from '../../shared/sessions';

export function registerSweep(ledger: Command): void {
  ledger
    .command('sweep')
    .description('record missing entries of ended sessions, if Temporal still has these sessions')
    .option(
      '--ended-after <time>',
      'only sessions that ended after this time (ISO 8601), or within this age, such as 24h',
      pastTime,
    )
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession ledger sweep --ended-after 24h')
    .action(printSweep);
}

interface SweepCommandOptions extends JsonRowsOptions {
  readonly endedAfter?: Date;
}

async function printSweep({ endedAfter, ...options }: SweepCommandOptions): Promise<void> {
  const json = jsonRows(options);
  const { sweepLedger } = await import('../../../ledger/index.js');
  await withLedgerAndClient(async (ledger, client) => {
    let looked = 0;
    let mended = 0;
    const leftOut: Record<NonNullable<SweptSession['left']>, string[]> = {
      unreadable: [],
      followed: [],
      tampered: [],
    };
    for await (const { key, added, left } of sweepLedger({ client, ledger, endedAfter })) {
      looked += 1;
      if (left !== undefined) leftOut[left].push(key);
      if (added === 0) continue;
      mended += 1;
      json.add({ key, added });
      if (!json.isAsked) printLine(`${key}  ${counted(added, 'entry', 'entries')} added`);
    }
    json.end();
    if (!json.isAsked) printLine(`${counted(looked, 'ended session')} checked, ${mended} fixed.`);
    const { unreadable, followed, tampered } = leftOut;
    if (unreadable.length > 0)
      printWarning(
        `${unreadable.length} cannot be read: are they encrypted with a key that is not set here, not yet rewrapped, or terminated while no worker runs?`,
      );
    if (followed.length > 0)
      printWarning(`Another key follows the session of ${followed.join(', ')}: see which one is right.`);
    if (tampered.length > 0)
      printWarning(
        `The ledger’s entries or keys of ${tampered.join(', ')} were changed: run \`paysession ledger verify\`.`,
      );
    if (unreadable.length + followed.length + tampered.length > 0) process.exitCode = EXIT.someFailed;
  });
}
