import type { temporal } from '@temporalio/proto';
import type { PaymentSessionInput } from '../../../../src';
import type { SessionResult } from '../../../../src/protocol/state/session';
import type { Job, RunInfo, RunningCode } from './workflow-code';

/** An activity of a workflow run that has not ended. */
export interface ScheduledActivity {
  readonly seq: number;
  readonly activityId: string;
  readonly type: string;
  readonly input: unknown;
  readonly scheduledAtMs: number;
  /** The time at which the activity is timed out if no worker has taken it. */
  readonly startsByMs?: number;
  /** The time at which the activity is timed out if it has not ended. */
  readonly endsByMs?: number;
  readonly maximumAttempts: number;
  /** True if the workflow still waits for the activity’s end after cancelling it. */
  readonly awaitsCancelled: boolean;
  readonly attempt: number;
  /** True if a worker has taken this attempt. */
  readonly isStarted: boolean;
  /** The details of the last heartbeat. */
  readonly details?: unknown;
  readonly isCancelRequested?: true;
}

/** The sum of the effects of a run's steps. */
export interface RunState {
  readonly activities: ReadonlyMap<number, ScheduledActivity>;
  /** The time at which each timer fires, in milliseconds since 1970. */
  readonly timers: ReadonlyMap<number, number>;
  /** The ids of all create activities. */
  readonly creates: readonly string[];
  /** The search attributes. */
  readonly shown: Readonly<Record<string, string>>;
}

/** A step in a run's history. */
export interface HistoryStep {
  readonly atMs: number;
  readonly jobs: readonly Job[];
  readonly after: RunState;
}

export type RunEnd =
  | { readonly status: 'COMPLETED'; readonly atMs: number; readonly result: SessionResult }
  | { readonly status: 'FAILED'; readonly atMs: number; readonly failure: temporal.api.failure.v1.IFailure }
  | { readonly status: 'TERMINATED'; readonly atMs: number };

/** The start of a run. */
export interface RunStart extends RunInfo {
  readonly key: string;
  readonly input: PaymentSessionInput;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly requestId?: string | undefined;
  /** The runs from which it was reset, newest last. */
  readonly resetFrom: readonly string[];
}

export const NEW_STATE: RunState = { activities: new Map(), timers: new Map(), creates: [], shown: {} };

/** A run of a session's workflow in the simulated Temporal server. */
export class Run {
  steps: readonly HistoryStep[] = [];
  state = NEW_STATE;
  end: RunEnd | undefined;
  /** The time at which a worker last ran a workflow task of the run. That task may have been lost. */
  lastStepAtMs: number;
  /** The run’s workflow code in the memory of a worker. Backups of the server’s data do not contain it. */
  code: RunningCode | undefined;

  constructor(readonly start: RunStart) {
    this.lastStepAtMs = start.startedAtMs;
  }

  get isRunning(): boolean {
    return this.end === undefined;
  }

  /** Returns a copy for a backup. */
  copy(): Run {
    const copy = new Run(this.start);
    return Object.assign(copy, {
      steps: this.steps,
      state: this.state,
      end: this.end,
      lastStepAtMs: this.lastStepAtMs,
    });
  }

  /** Removes the workflow code from its worker's memory. */
  async evict(): Promise<void> {
    const { code } = this;
    this.code = undefined;
    await code?.forget();
  }
}
