/**
 * The health checks of a worker. The worker is healthy if it polls for work, the Temporal server answers, and the payment
 * service accepts the credentials of at least one account.
 */
import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { repeatUntil } from './repeat-until';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { isPaysessionError } from '../src/errors';

/** The parts of the worker that the health checks use. */
export interface Watched extends PollingPlace, AccountLogin {
  /** True if the worker polls for work. */
  readonly isPolling: () => boolean;
}

/** Starts the health checks of a worker. They run in the background, even if the worker has no sessions. */
export function watchHealth(watched: Watched): HealthWatch {
  const temporal = new TemporalContact(watched);
  const credentials = new Credentials(watched);
  const ends = new AbortController();
  void repeatUntil(ends.signal, () => temporal.update());
  void repeatUntil(ends.signal, () => credentials.update());
  return {
    checks: () => [polling(watched.isPolling()), temporal.check(), credentials.check()],
    stop: () => {
      ends.abort();
    },
  };
}

/** Returns the finding of the check `polling`. */
export function polling(ok: boolean): HealthCheck {
  return { name: 'polling', ok, detail: ok ? 'accepts work' : 'accepts no work: it is starting or stopping' };
}

/** The latest finding of one health check. */
export interface HealthCheck {
  /**
   * `polling`: the worker polls for work. `temporal`: the Temporal server answers. `credentials`: the payment service accepts
   * the credentials of at least one account.
   */
  readonly name: 'polling' | 'temporal' | 'credentials';
  /** True if the check passes now. */
  readonly ok: boolean;
  /** The finding in words. Contains no secrets and no data of sessions. */
  readonly detail: string;
}

/** The health checks of a worker, running in the background. */
export interface HealthWatch {
  /** Returns the latest finding of each check. */
  checks(): readonly HealthCheck[];
  /** Stops the checks. */
  stop(): void;
}

/** The namespace and task queue that the worker polls. */
export interface PollingPlace {
  readonly connection: Pick<NativeConnection, 'workflowService' | 'withDeadline'>;
  readonly namespace: string;
  readonly taskQueue: string;
}

const ASK_EVERY_MS = 2_000;
const CALL_MS = 2_000;
/** The check passes for this long after an answer. So a single failed call is no fault: the server may be restarting a process. */
const YOUNG_MS = 6_000;
const { TASK_QUEUE_TYPE_WORKFLOW: taskQueueType } = temporal.api.enums.v1.TaskQueueType;

/** The check `temporal`. Every two seconds, it asks the Temporal server to describe the worker's task queue. */
class TemporalContact {
  #lastAt = -Infinity;
  #failure = 'it has not answered yet';
  readonly #place: PollingPlace;

  constructor(place: PollingPlace) {
    this.#place = place;
  }

  /** Calls the server once. Returns the pause before the next call. */
  async update(): Promise<number> {
    const { connection, namespace, taskQueue } = this.#place;
    try {
      await connection.withDeadline(Date.now() + CALL_MS, () =>
        connection.workflowService.describeTaskQueue({
          namespace,
          taskQueue: { name: taskQueue },
          taskQueueType,
        }),
      );
      this.#lastAt = performance.now();
    } catch (error) {
      this.#failure = whyOf(error);
    }
    return ASK_EVERY_MS;
  }

  check(): HealthCheck {
    const silentMs = performance.now() - this.#lastAt;
    const ok = silentMs <= YOUNG_MS;
    const since = Number.isFinite(silentMs) ? `${Math.round(silentMs / 1_000)} s ago` : 'never';
    const detail = `the Temporal server last answered ${since}${ok ? '' : `; ${this.#failure}`}`;
    return { name: 'temporal', ok, detail };
  }
}

/** The reason of a failed call, by gRPC status code. The server's own message is not shown, because it may contain anything. */
const REASONS: Readonly<Record<number, string>> = {
  [GRPC.CANCELLED]: 'the call took too long',
  [GRPC.DEADLINE_EXCEEDED]: 'the call took too long',
  [GRPC.NOT_FOUND]: 'it does not have the namespace',
  [GRPC.PERMISSION_DENIED]: 'it refuses the credentials',
  [GRPC.UNAVAILABLE]: 'it cannot be reached',
  [GRPC.UNAUTHENTICATED]: 'it refuses the credentials',
};

function whyOf(error: unknown): string {
  const code = grpcAnswerOf(error)?.code;
  if (code === undefined) return 'the call failed';
  return REASONS[code] ?? `the call failed with gRPC's code ${code}`;
}

/** The accounts of a worker, and the function that requests their access tokens. */
export interface AccountLogin {
  readonly accounts: readonly string[];
  /** Requests an access token for an account. Sends nothing if the account's last token is still valid. */
  readonly authenticate: (account: string) => Promise<void>;
}

const UNTIL_ACCEPTED_MS = 5_000;
const WHILE_ACCEPTED_MS = 30_000;

/**
 * The check `credentials`. It passes if the payment service accepts the credentials of at least one account. It fails only if
 * the service refuses them afterwards: an outage of the service is not a fault of the worker.
 */
class Credentials {
  #accepted: string | undefined;
  #failure = 'not tried yet';
  readonly #login: AccountLogin;

  constructor(login: AccountLogin) {
    this.#login = login;
  }

  /** Finds an account that the service accepts. Returns the pause before the next attempt. */
  async update(): Promise<number> {
    const last = this.#accepted;
    const others = this.#login.accounts.filter((name) => name !== last);
    for (const name of last === undefined ? others : [last, ...others]) {
      if (await this.#isAccepted(name)) break;
    }
    return this.#accepted === undefined ? UNTIL_ACCEPTED_MS : WHILE_ACCEPTED_MS;
  }

  check(): HealthCheck {
    const ok = this.#accepted !== undefined;
    const detail = ok
      ? 'the payment service accepts an account'
      : `the payment service has accepted no account: ${this.#failure}`;
    return { name: 'credentials', ok, detail };
  }

  async #isAccepted(name: string): Promise<boolean> {
    try {
      await this.#login.authenticate(name);
      this.#accepted = name;
    } catch (error) {
      this.#failure = isPaysessionError(error) ? error.code : 'the call failed';
      const isRefused = isPaysessionError(error, 'SERVICE_CREDENTIALS_REJECTED');
      if (isRefused && this.#accepted === name) this.#accepted = undefined;
    }
    return this.#accepted === name;
  }
}

/** The interval of attempts for accounts without a token. For refused accounts, the service client skips most attempts. */
const TOKENS_EVERY_MS = 5_000;
/** The maximum number of tokens to request at the same time. A worker may have hundreds of accounts. */
const AT_ONCE = 8;

/**
 * Requests an access token for each account. Retries for accounts that got no token. If the service refuses an account's
 * credentials, the worker's log then shows that before the first session needs them.
 */
export function checkAccounts(login: AccountLogin, signal: AbortSignal): void {
  let left = login.accounts;
  void repeatUntil(signal, async () => {
    left = await withoutToken(login, left);
    return left.length === 0 ? undefined : TOKENS_EVERY_MS;
  });
}

async function withoutToken({ authenticate }: AccountLogin, accounts: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (let next = 0; next < accounts.length; next += AT_ONCE) {
    const some = accounts.slice(next, next + AT_ONCE);
    const ended = await Promise.allSettled(some.map((account) => authenticate(account)));
    failed.push(...some.filter((_, index) => ended[index]?.status === 'rejected'));
  }
  return failed;
}
