import type { PaymentLedger } from '../../ledger';
import type { ServiceObserver } from '../../src/service';
import { repeatUntil } from '../repeat-until';

/**
 * Shows the pauses of a worker's accounts, and reports them to the ledger, for endpoints that receive messages for operators.
 */
export interface PauseReports {
  readonly observer: ServiceObserver;
  /** Reports until the signal aborts. */
  watch(signal: AbortSignal): void;
}

const EVERY_MS = 5_000;
/**
 * A call that was turned away usually asks for its turn again at most this long after it may do so. After many failures, a call
 * may come back later.
 */
const BACK_WITHIN_MS = 60_000;

/**
 * Reports a pause while paused calls ask for their turn. Without such calls a pause blocks no session, and lasts until
 * the next call: after a failed create, that may be all night.
 *
 * @param ledger absent if the worker has none
 * @param show receives true while a pause blocks calls of the account, and false afterwards
 * @param now returns the time of a monotonic clock, in milliseconds
 */
export function pauseReports(
  ledger: Pick<PaymentLedger, 'opsConditions'> | undefined,
  show: (account: string, isPaused: boolean) => void,
  now: () => number = () => performance.now(),
): PauseReports {
  const causes = new Map<string, string>();
  const wantedUntilMs = new Map<string, number>();
  const wanted = (account: string, inMs: number): void => {
    const untilMs = now() + inMs + BACK_WITHIN_MS;
    wantedUntilMs.set(account, Math.max(wantedUntilMs.get(account) ?? -Infinity, untilMs));
  };
  return {
    observer: {
      paused: ({ account, cause }) => {
        causes.set(account, cause);
      },
      resumed: ({ account }) => {
        causes.delete(account);
        wantedUntilMs.delete(account);
        show(account, false);
      },
      turnTaken: ({ account, isPaused }) => {
        if (isPaused) wanted(account, 0);
      },
      turnedAway: ({ account, isPaused, retryAfterMs }) => {
        if (isPaused) wanted(account, retryAfterMs);
      },
    },
    watch: (signal) => {
      void repeatUntil(signal, async () => {
        for (const [account, cause] of causes) {
          const isWanted = now() < (wantedUntilMs.get(account) ?? -Infinity);
          show(account, isWanted);
          if (!isWanted) continue;
          // If the ledger is away, the check of the ledger reports that, and the next report of the pause follows soon.
          await ledger?.opsConditions.accountPaused(account, cause).catch(() => undefined);
        }
        return EVERY_MS;
      });
    },
  };
}
