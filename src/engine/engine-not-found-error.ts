import { PaysessionError } from '../errors';

/** The ways to a Temporal server, in the order in which they are tried. */
export type EngineWay = 'address' | 'path' | 'cache' | 'download' | 'build';

/** A way that was tried, and why it led to no engine. */
export interface EngineAttempt {
  readonly way: EngineWay;
  readonly reason: string;
}

/** `ENGINE_NOT_FOUND`: no way led to a Temporal server. `attempts` lists each. */
export class EngineNotFoundError extends PaysessionError {
  override readonly name = 'EngineNotFoundError';

  constructor(readonly attempts: readonly EngineAttempt[]) {
    const lines = attempts.map(({ way, reason }) => `  ${way}: ${reason}`);
    super(
      'ENGINE_NOT_FOUND',
      `No Temporal server was found. Set TEMPORAL_ADDRESS, or install the Temporal CLI or Go. Tried:\n${lines.join('\n')}`,
    );
  }
}
