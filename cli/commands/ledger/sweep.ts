import { sweepLedger } from '../../../ledger';
import { withSessions } from '../../shared/run/client';
import { EXIT } from '../../shared/run/exit-codes';
import { printJsonLine, printLine, printWarning, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';
import { checkOwnEnvironment } from './own-environment';

export interface SweepCommandOptions extends JsonOption {
  readonly endedAfter?: Date;
}

export async function printSweep({ endedAfter, json }: SweepCommandOptions): Promise<void> {
  await withLedger((ledger) =>
    withSessions(async (_sessions, { client }) => {
      await checkOwnEnvironment(ledger, client);
      let looked = 0;
      let mended = 0;
      let unreadable = 0;
      for await (const { key, added, isUnreadable } of sweepLedger({ client, ledger, endedAfter })) {
        looked += 1;
        if (isUnreadable) unreadable += 1;
        if (added === 0) continue;
        mended += 1;
        if (json) printJsonLine({ key, added });
        else printLine(`${key}  ${added} ${added === 1 ? 'entry' : 'entries'} added`);
      }
      if (!json)
        printLine(`${looked} ended ${looked === 1 ? 'session' : 'sessions'} checked, ${mended} mended.`);
      if (unreadable === 0) return;
      printWarning(`${unreadable} cannot be read: are they encrypted with a key that is not set here?`);
      process.exitCode = EXIT.someFailed;
    }),
  );
}
