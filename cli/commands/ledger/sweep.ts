import { sweepLedger, type SweptSession } from '../../../ledger';
import { EXIT } from '../../shared/run/exit-codes';
import { jsonRows, printLine, printWarning, type JsonRowsOptions } from '../../shared/screen/output';
import { withLedgerAndClient } from './open-ledger';
import { checkOwnEnvironment } from './own-environment';

export interface SweepCommandOptions extends JsonRowsOptions {
  readonly endedAfter?: Date;
}

export async function printSweep({ endedAfter, ...options }: SweepCommandOptions): Promise<void> {
  const json = jsonRows(options);
  await withLedgerAndClient(async (ledger, client) => {
    await checkOwnEnvironment(ledger, client);
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
      if (!json.isAsked) printLine(`${key}  ${added} ${added === 1 ? 'entry' : 'entries'} added`);
    }
    json.end();
    if (!json.isAsked)
      printLine(`${looked} ended ${looked === 1 ? 'session' : 'sessions'} checked, ${mended} mended.`);
    const { unreadable, followed, tampered } = leftOut;
    if (unreadable.length > 0)
      printWarning(
        `${unreadable.length} cannot be read: are they encrypted with a key that is not set here, or terminated while no worker runs?`,
      );
    if (followed.length > 0)
      printWarning(`Another key follows the session of ${followed.join(', ')}: see which one is right.`);
    if (tampered.length > 0)
      printWarning(
        `The ledger’s entries of ${tampered.join(', ')} were changed: run \`paysession ledger verify\`.`,
      );
    if (unreadable.length + followed.length + tampered.length > 0) process.exitCode = EXIT.someFailed;
  });
}
