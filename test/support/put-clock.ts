import { afterEach, beforeEach, jest } from '@jest/globals';

/** What tells how much time passes stays as it is. */
const PASSING = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
] as const;
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

/** Gives the tests of a file a clock that can be put forward and back, as a machine's, by so many milliseconds. */
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
