import { sweepLedger } from '../../../ledger';
import { withSessions } from '../../shared/run/client';
import { printJsonLine, printLine, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';

export interface SweepCommandOptions extends JsonOption {
  readonly endedAfter?: Date;
}

export async function printSweep({ endedAfter, json }: SweepCommandOptions): Promise<void> {
  await withLedger((ledger) =>
    withSessions(async (_sessions, { client }) => {
      let looked = 0;
      let mended = 0;
      for await (const { key, added } of sweepLedger({ client, ledger, endedAfter })) {
        looked += 1;
        if (added === 0) continue;
        mended += 1;
        if (json) printJsonLine({ key, added });
        else printLine(`${key}  ${added} ${added === 1 ? 'entry' : 'entries'} added`);
      }
      if (!json) printLine(`${looked} ended sessions checked, ${mended} mended.`);
    }),
  );
}
