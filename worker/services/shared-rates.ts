import { Runtime } from '@temporalio/worker';
import type { Accounts } from '../../src/settings';
import type { ServiceClients } from './service-clients';
import { WorkerCount, type WorkerCountOptions } from './worker-count';

interface SharedRatesOptions {
  readonly accounts: Accounts;
  /** How many workers there are, if that is set. */
  readonly workers?: number;
}

/** Shares the accounts' limits with the other workers; gives what counts them where somebody has to. */
export function shareRates(
  services: ServiceClients,
  { workers, accounts }: SharedRatesOptions,
  worker: Pick<WorkerCountOptions, 'client' | 'taskQueue' | 'identity'>,
): WorkerCount | undefined {
  if (workers !== undefined) services.shareAmong(workers);
  const isLimited = Object.values(accounts).some(({ callsPerSecond }) => callsPerSecond !== undefined);
  if (workers !== undefined || !isLimited) return undefined;
  const { logger } = Runtime.instance();
  return new WorkerCount({
    ...worker,
    onCount: (count) => {
      logger.info('the accounts’ rate limits are shared among all workers', { workers: count });
      services.shareAmong(count);
    },
    onUnknown: () => {
      logger.warn(
        'Temporal does not say how many workers there are, so this one may use the accounts’ whole rate limits: set PAYSESSION_WORKERS',
      );
    },
  });
}
