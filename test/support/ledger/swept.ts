import { sweepLedger, type SweptSession } from '../../../ledger';
import type { SweepOptions } from '../../../ledger/sweep';
import { until } from '../wait';

/** Sweeps until Temporal’s index lists all runs of a key. Returns the sweep’s outcome for each run, without `endedAt`. */
export async function swept(
  { client, ledger }: Pick<SweepOptions, 'client' | 'ledger'>,
  key: string,
  runs = 1,
): Promise<readonly Omit<SweptSession, 'endedAt'>[]> {
  return until(
    async () => {
      const rows: Omit<SweptSession, 'endedAt'>[] = [];
      for await (const { endedAt: _endedAt, ...row } of sweepLedger({ client, ledger })) rows.push(row);
      return rows.filter((row) => row.key === key);
    },
    (rows) => rows.length >= runs,
  );
}
