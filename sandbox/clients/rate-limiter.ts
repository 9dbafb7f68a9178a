import type { Clock } from '../clock/clock';

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** 0 sets no limit. */
  readonly requests: number;
  readonly windowMs: number;
}

/** Counts each client's calls in windows of a fixed length (contract A71). */
export class RateLimiter {
  readonly #windows = new Map<string, { readonly startedAtMs: number; readonly count: number }>();
  readonly #options: RateLimiterOptions;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Counts a call; the milliseconds to wait when the client has none left, else `undefined`. */
  waitMs(clientId: string): number | undefined {
    const { clock, requests, windowMs } = this.#options;
    if (requests === 0) return undefined;
    const nowMs = clock.now();
    const last = this.#windows.get(clientId);
    const current = last !== undefined && nowMs < last.startedAtMs + windowMs ? last : undefined;
    const { startedAtMs, count } = current ?? { startedAtMs: nowMs, count: 0 };
    if (count >= requests) return startedAtMs + windowMs - nowMs;
    this.#windows.set(clientId, { startedAtMs, count: count + 1 });
    return undefined;
  }
}
