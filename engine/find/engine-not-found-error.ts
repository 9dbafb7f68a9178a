import { PaysessionError } from '../../src/errors';

/** The ways to a Temporal server; `maven` leads to the time-skipping test server only. */
export type EngineWay = 'address' | 'path' | 'cache' | 'download' | 'build' | 'maven';

/** A way that was tried, and why it led to no engine. */
export interface EngineAttempt {
  readonly way: EngineWay;
  readonly reason: string;
}

/** `ENGINE_NOT_FOUND`: no way led to a Temporal server. `attempts` lists each. */
export class EngineNotFoundError extends PaysessionError {
  override readonly name = 'EngineNotFoundError';

  constructor(
    readonly attempts: readonly EngineAttempt[],
    advice = 'No Temporal server was found. Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go.',
  ) {
    const lines = attempts.map(({ way, reason }) => `  ${way}: ${reason}`);
    super('ENGINE_NOT_FOUND', `${advice} Tried:\n${lines.join('\n')}`);
  }
}
