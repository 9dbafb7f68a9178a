import { afterEach, beforeEach, jest } from '@jest/globals';

/** The parts of Jest's fake timers that stay real: everything except `Date`. */
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

/** Stops `Date` during each test of a file. Returns a function that moves `Date` by milliseconds, forwards or backwards. */
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
