import { afterEach, beforeEach, jest } from '@jest/globals';

/** Everything but `Date` stays real: timers, and measures of elapsed time. */
const REAL = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
] as const;

/**
 * Stops `Date` during each test of a file. The returned function moves it forward or back by milliseconds.
 */
export function useClock(): (byMs: number) => void {
  beforeEach(() => {
    jest.useFakeTimers({ now: Date.now(), doNotFake: [...REAL] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  return (byMs) => {
    jest.setSystemTime(Date.now() + byMs);
  };
}
