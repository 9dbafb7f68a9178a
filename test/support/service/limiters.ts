/** A service's limit. Returns 0 if a call is accepted, and otherwise the time to wait, in milliseconds. */
export type Limiter = (nowMs: number) => number;

export interface Limit {
  readonly calls: number;
  readonly perMs: number;
}

/** Allows a number of calls in each window. A window begins with the first call after the previous window. */
export function fixedWindows({ calls, perMs }: Limit): Limiter {
  let window = { startedAtMs: -Infinity, count: 0 };
  return (nowMs) => {
    if (nowMs >= window.startedAtMs + perMs) window = { startedAtMs: nowMs, count: 0 };
    if (window.count >= calls) return window.startedAtMs + perMs - nowMs;
    window.count += 1;
    return 0;
  };
}

/** Allows a number of calls in each window. Windows follow each other without gaps, by the clock. */
export function clockWindows({ calls, perMs }: Limit): Limiter {
  let window = { startedAtMs: -Infinity, count: 0 };
  return (nowMs) => {
    const startedAtMs = Math.floor(nowMs / perMs) * perMs;
    if (startedAtMs !== window.startedAtMs) window = { startedAtMs, count: 0 };
    if (window.count >= calls) return startedAtMs + perMs - nowMs;
    window.count += 1;
    return 0;
  };
}

/** Allows a number of calls within any period of this length. */
export function slidingWindow({ calls, perMs }: Limit): Limiter {
  const taken: number[] = [];
  return (nowMs) => {
    while (taken[0] !== undefined && taken[0] <= nowMs - perMs) taken.shift();
    if (taken.length >= calls) return (taken[0] ?? nowMs) + perMs - nowMs;
    taken.push(nowMs);
    return 0;
  };
}

/** Allows as many calls as a bucket has tokens. The bucket holds the calls of one period, and fills evenly. */
export function tokenBucket({ calls, perMs }: Limit): Limiter {
  let tokens = calls;
  let filledAtMs: number | undefined;
  return (nowMs) => {
    tokens = Math.min(calls, tokens + ((nowMs - (filledAtMs ?? nowMs)) * calls) / perMs);
    filledAtMs = nowMs;
    if (tokens < 1) return ((1 - tokens) * perMs) / calls;
    tokens -= 1;
    return 0;
  };
}
