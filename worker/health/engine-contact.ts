import { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { GRPC, grpcAnswerOf } from '../../src/protocol/temporal/grpc';
import type { HealthCheck } from './health-check';

/** Where the worker polls. */
export interface PollingPlace {
  readonly connection: Pick<NativeConnection, 'workflowService' | 'withDeadline'>;
  readonly namespace: string;
  readonly taskQueue: string;
}

const LOOK_EVERY_MS = 2_000;
const CALL_MS = 2_000;
/** Two calls in a row may fail: a server that restarts one of its processes is not lost. */
const YOUNG_MS = 6_000;
const { TASK_QUEUE_TYPE_WORKFLOW: taskQueueType } = temporal.api.enums.v1.TaskQueueType;

/** Asks the Temporal server for the worker's task queue every few seconds, whether or not there is work. */
export class EngineContact {
  #lastAt = -Infinity;
  #failure = 'it has not answered yet';
  readonly #place: PollingPlace;

  constructor(place: PollingPlace) {
    this.#place = place;
  }

  /** Asks once. Gives the pause before the next call. */
  async look(): Promise<number> {
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
    return LOOK_EVERY_MS;
  }

  check(): HealthCheck {
    const silentMs = performance.now() - this.#lastAt;
    const ok = silentMs <= YOUNG_MS;
    const since = Number.isFinite(silentMs) ? `${Math.round(silentMs / 1_000)} s ago` : 'never';
    const detail = `the Temporal server last answered ${since}${ok ? '' : `; ${this.#failure}`}`;
    return { name: 'engine', ok, detail };
  }
}

/** By gRPC's codes: the server's own words may hold anything. */
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
