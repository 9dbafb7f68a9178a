import { afterEach, beforeEach, jest } from '@jest/globals';

/** Clocks that measure elapsed time stay unchanged. */
const PASSING = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
] as const;
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

/**
 * Installs a clock for the tests of a file. The returned function moves it forward or back by milliseconds, like a
 * machine's.
 */
export function useClock(): (byMs: number) => void {
  beforeEach(() => {
    jest.useFakeTimers({ now: Date.now(), doNotFake: [...PASSING, ...TIMERS] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  return (byMs) => {
    jest.setSystemTime(Date.now() + byMs);
  };
}
