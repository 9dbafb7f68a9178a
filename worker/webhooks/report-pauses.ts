import type { PaymentLedger } from '../../ledger';
import type { ServiceObserver } from '../../src/service';
import { repeatUntil } from '../repeat-until';

/**
 * Reports the pauses of a worker's accounts, in a metric and to the ledger. If the payment service does not answer, a worker pauses all
 * calls of that account. The ledger's webhooks can send such pauses to operators.
 */
export interface PauseReports {
  readonly observer: ServiceObserver;
  /** Reports until the signal aborts. */
  watch(signal: AbortSignal): void;
}

const EVERY_MS = 5_000;
/**
 * The longest time after which a refused call is usually tried again, counted from the end of its back-off. After many failures, a call
 * may be tried again later than this.
 */
const BACK_WITHIN_MS = 60_000;

/**
 * Reports a pause only while it blocks calls. A pause lasts until the next call. If there is no call, the pause may last all night, but
 * it blocks no session.
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
          // If the ledger does not answer, the worker's check of the ledger reports that. The pause is reported again in five seconds.
          await ledger?.opsConditions.accountPaused(account, cause).catch(() => undefined);
        }
        return EVERY_MS;
      });
    },
  };
}
