import type { ServiceObserver } from '../../src/service';
import type { Instruments } from './instruments';
import { WORKER_METRICS as METRICS } from './metrics-table';

/** Counts what happens between a worker and the payment service. */
export function serviceMetrics({ add, set, record }: Instruments): ServiceObserver {
  return {
    callEnded: ({ account, call, class: callClass, ms }) => {
      add(METRICS.serviceCalls, 1, { account, call, class: callClass });
      if (callClass !== 'unreachable' && callClass !== 'aborted') {
        record(METRICS.serviceLatency, ms, { account, call });
      }
    },
    turnTaken: ({ account, call, waitedMs }) => {
      record(METRICS.turnWait, waitedMs, { account, call });
    },
    turnedAway: ({ account, call }) => {
      add(METRICS.turnedAway, 1, { account, call });
    },
    paused: ({ account, cause }) => {
      add(METRICS.pauses, 1, { account, cause });
      set(METRICS.paused, 1, { account });
    },
    resumed: ({ account }) => {
      set(METRICS.paused, 0, { account });
    },
    tokenRenewed: ({ account }) => {
      add(METRICS.tokens, 1, { account });
    },
  };
}
