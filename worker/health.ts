/**
 * Health checks of a worker: it takes work, the Temporal server answers, and the payment service accepts its
 * credentials.
 */
import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { repeatUntil } from './repeat-until';
import { GRPC, grpcAnswerOf } from '../src/protocol/temporal/grpc';
import { isPaysessionError } from '../src/errors';

/** The parts of the worker that health checks watch. */
export interface Watched extends PollingPlace, AccountLogin {
  /** True if the worker takes work. */
  readonly isPolling: () => boolean;
}

/** Starts the checks, without waiting for traffic. */
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

/** Returns the check that the worker takes work. */
export function polling(ok: boolean): HealthCheck {
  return { name: 'polling', ok, detail: ok ? 'accepts work' : 'accepts no work: it is starting or stopping' };
}

/** One thing that a worker needs for its work. */
export interface HealthCheck {
  /**
   * `polling`: the worker takes work. `temporal`: the Temporal server answers. `credentials`: the payment service
   * accepts an account.
   */
  readonly name: 'polling' | 'temporal' | 'credentials';
  /** True if the check passes now. */
  readonly ok: boolean;
  /** The finding, without secrets and without data of a session. */
  readonly detail: string;
}

/** Checks that go on in the background. */
export interface HealthWatch {
  /** Returns the latest findings. */
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
/** The check passes for this time after an answer. One failed call is not a fault: the server may be restarting a process. */
const YOUNG_MS = 6_000;
const { TASK_QUEUE_TYPE_WORKFLOW: taskQueueType } = temporal.api.enums.v1.TaskQueueType;

/** Asks the Temporal server about the worker's task queue every few seconds, even if there is no work. */
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

/** Reasons by gRPC's codes: the server's own words may contain anything. */
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

/** The accounts of a worker. */
export interface AccountLogin {
  readonly accounts: readonly string[];
  /** Makes sure that there is an access token. Sends nothing while the last one need not be renewed. */
  readonly authenticate: (account: string) => Promise<void>;
}

const UNTIL_ACCEPTED_MS = 5_000;
const WHILE_ACCEPTED_MS = 30_000;

/**
 * Checks that the payment service accepts the credentials of at least one account. Accepted credentials count until
 * the service refuses them: an outage of the service is not a fault of the worker.
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

/** The interval of attempts for accounts without a token. The client sends fewer requests for a refused account. */
const TOKENS_EVERY_MS = 5_000;
/** The number of accounts for which tokens are requested at once: a worker may have hundreds of accounts. */
const AT_ONCE = 8;

/**
 * Asks for a token of each account, and asks again for those that the service has not issued. Wrong credentials thus
 * show before the first create needs them: the worker logs that they are refused.
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
