import { setTimeout as sleep } from 'node:timers/promises';

/** One thing that a worker needs for its work. */
export interface HealthCheck {
  /** `polling`: takes work. `engine`: the Temporal server answers. `credentials`: the payment service accepts an account. */
  readonly name: 'polling' | 'engine' | 'credentials';
  /** Whether it has it now. */
  readonly ok: boolean;
  /** What was found: no secret, and nothing of a session. */
  readonly detail: string;
}

/** Checks that go on in the background. */
export interface HealthWatch {
  /** What was found last. */
  checks(): readonly HealthCheck[];
  /** Looks no more. */
  stop(): void;
}

/**
 * Runs a step that never rejects, again and again with pauses between, until the signal aborts or the step gives no pause. Keeps
 * no process alive.
 */
export async function repeatUntil(
  signal: AbortSignal,
  step: () => Promise<number | undefined>,
): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await step();
    if (pauseMs === undefined) return;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
