import type { PaymentLedger } from '../../ledger';
import type { ServiceObserver } from '../../src/service';
import { repeatUntil } from '../repeat-until';

/** Reports the pauses of a worker's accounts to the ledger, for endpoints that want to know. */
export interface PauseReports {
  readonly observer: ServiceObserver;
  /** Reports until the signal aborts. */
  watch(signal: AbortSignal): void;
}

const EVERY_MS = 5_000;

export function pauseReports({ opsConditions }: Pick<PaymentLedger, 'opsConditions'>): PauseReports {
  const causes = new Map<string, string>();
  return {
    observer: {
      paused: ({ account, cause }) => {
        causes.set(account, cause);
      },
      resumed: ({ account }) => {
        causes.delete(account);
      },
    },
    watch: (signal) => {
      void repeatUntil(signal, async () => {
        for (const [account, cause] of causes) {
          // While the ledger is away, its own check reports that; the next report follows soon.
          await opsConditions.accountPaused(account, cause).catch(() => undefined);
        }
        return EVERY_MS;
      });
    },
  };
}
