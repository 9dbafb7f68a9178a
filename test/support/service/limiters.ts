/** A rate limit of a service. Returns 0 if a call is accepted, or else the time to wait in milliseconds. */
export type Limiter = (nowMs: number) => number;

export interface Limit {
  readonly calls: number;
  readonly perMs: number;
}

/** Accepts a number of calls in each window. A window begins with the first call after the previous window’s end. */
export function fixedWindows({ calls, perMs }: Limit): Limiter {
  let window = { startedAtMs: -Infinity, count: 0 };
  return (nowMs) => {
    if (nowMs >= window.startedAtMs + perMs) window = { startedAtMs: nowMs, count: 0 };
    if (window.count >= calls) return window.startedAtMs + perMs - nowMs;
    window.count += 1;
    return 0;
  };
}

/** Accepts a number of calls in each window. The windows follow the clock, without gaps. */
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

/** Accepts a number of calls within any period of this length. */
export function slidingWindow({ calls, perMs }: Limit): Limiter {
  const taken: number[] = [];
  return (nowMs) => {
    while (taken[0] !== undefined && taken[0] <= nowMs - perMs) taken.shift();
    if (taken.length >= calls) return (taken[0] ?? nowMs) + perMs - nowMs;
    taken.push(nowMs);
    return 0;
  };
}

/** Accepts a call if a bucket has a token. The bucket has room for the calls of one period, and fills evenly. */
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
