import { Runtime } from '@temporalio/worker';
import { PaysessionError, SettingsError, withRemedy } from '../src/errors';
import {
  Pace,
  PacedService,
  PaymentService,
  tellingOf,
  type ExchangeTracer,
  type PacedServiceOptions,
  type Pause,
  type PaymentServiceOptions,
  type ServiceAccount,
  type ServiceObserver,
} from '../src/service';
import type { Accounts } from '../src/settings';
import { WorkerCount, type WorkerCountOptions } from './worker-count';

interface AccountClient {
  readonly account: ServiceAccount;
  readonly pace: Pace;
  readonly service: PaymentService;
  readonly paced: PacedService;
}

/** Options of `ServiceClients`. */
export interface ServiceClientsOptions {
  /** Options of each account's client. @default those of `PaymentService` */
  readonly service?: Omit<PaymentServiceOptions, 'account'> | undefined;
  /** Options for calls that wait until the account's rate limit allows them. @default those of `PacedService` */
  readonly waiting?: Pick<PacedServiceOptions, 'room' | 'waitsForTurn'>;
  /** Observers of the calls of all accounts. @default none */
  readonly observers?: readonly ServiceObserver[];
  /** Returns the tracer for an account's HTTP requests. @default not traced */
  readonly tracerOf?: (name: string, account: ServiceAccount) => ExchangeTracer | undefined;
}

/** The clients of the payment service: one for each account. Each client keeps to its account's rate limit. */
export class ServiceClients {
  readonly #clients: ReadonlyMap<string, AccountClient>;

  /**
   * Creates a client for each account.
   *
   * @throws {@link SettingsError} `INVALID_SETTINGS` if an account or `service` is malformed or has an unknown member, or if the
   * URL of the proxy that the environment names is malformed
   */
  constructor(accounts: Accounts, options: ServiceClientsOptions = {}) {
    const clients = Object.entries(accounts).map(
      ([name, account]) => [name, connect(name, account, options)] as const,
    );
    this.#clients = new Map(clients);
  }

  /**
   * Returns the client of an account.
   *
   * @throws {@link PaysessionError} `UNKNOWN_ACCOUNT` if this worker does not have the account
   */
  of(name: string): PacedService {
    const client = this.#clients.get(name);
    if (client !== undefined) return client.paced;
    throw new PaysessionError(
      'UNKNOWN_ACCOUNT',
      withRemedy('UNKNOWN_ACCOUNT', `The worker has no credentials for the account "${name}".`),
    );
  }

  /** Divides each account's `callsPerSecond` by this number of workers, from now on. */
  shareAmong(workers: number): void {
    for (const { account, pace } of this.#clients.values()) {
      const share = shareOf(account, workers);
      if (share !== undefined) pace.limitTo(share);
    }
  }

  /** Refuses the waiting calls, and all later calls that would have to wait. Other workers make these calls. */
  stopWaiting(): void {
    for (const { paced } of this.#clients.values()) paced.stopWaiting();
  }

  /** Waits a limited time for running calls, and closes all connections. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#clients.values(), ({ service }) => service.close()));
  }
}

function connect(
  name: string,
  account: ServiceAccount,
  { service: options = {}, waiting, observers = [], tracerOf }: ServiceClientsOptions,
): AccountClient {
  const tell = tellingOf(name, observers);
  const service = naming(
    name,
    () => new PaymentService({ ...options, account, tracer: tracerOf?.(name, account) }, tell),
  );
  const { now } = options;
  const clock = now !== undefined && { now };
  const pace = new Pace({
    callsPerSecond: account.callsPerSecond,
    isGradual: waiting?.waitsForTurn,
    ...clock,
    onChange: (pause) => {
      logPace(name, pause);
      if (pause === undefined) tell('resumed', {});
      else tell('paused', pause);
    },
  });
  const paced = new PacedService(service, { pace, tell, ...clock, ...waiting });
  return { account, pace, service, paced };
}

/** Runs `make`. If it throws a `SettingsError`, adds the account's name to the error. */
function naming<T>(account: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const failures = error.failures.map(({ path, message }) => ({
      path: `${path} (account "${account}")`,
      message,
    }));
    throw new SettingsError(failures);
  }
}

function shareOf({ callsPerSecond }: ServiceAccount, workers: number): number | undefined {
  return callsPerSecond === undefined ? undefined : callsPerSecond / workers;
}

function logPace(account: string, pause: Pause | undefined): void {
  const { logger } = Runtime.instance();
  if (pause === undefined) logger.warn('calls to the payment service resume', { account });
  else logger.warn('calls to the payment service are paused', { account, ...pause });
}

/**
 * Divides the accounts' rate limits among all workers. If the number of workers is not set, and an account has a limit, returns the
 * counter that finds the number out. Throws `SettingsError` if the number that is set is invalid.
 */
export function shareRates(
  services: ServiceClients,
  { workers, accounts }: { readonly accounts: Accounts; readonly workers?: number },
  worker: Pick<WorkerCountOptions, 'client' | 'taskQueue' | 'identity'>,
): WorkerCount | undefined {
  if (workers !== undefined) {
    if (!Number.isInteger(workers) || workers < 1)
      throw new SettingsError([{ path: 'workers', message: 'must be a whole number, at least 1' }]);
    services.shareAmong(workers);
  }
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
        'Temporal does not say how many workers there are, so this one keeps its last share of the accounts’ rate limits, at first the whole: if this lasts, set PAYSESSION_WORKERS',
      );
    },
  });
}
