import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WakeUps } from '../../../../activities/follow/wake-ups';
import { seededRandom, testSeed } from '../../../support/seed';

const random = seededRandom(testSeed());
const ABOUT = { isExact: false };
const SECOND = 1_000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Waits that begin at these times; gives when each of them ended. */
async function ended(
  waits: readonly { readonly beginsAtMs: number; readonly waitMs: number }[],
  options = ABOUT,
) {
  const wakeUps = new WakeUps();
  const sinceMs = performance.now();
  const endedAtMs = waits.map(({ beginsAtMs, waitMs }) => {
    const times = { ends: -1 };
    setTimeout(() => {
      const end = () => (times.ends = performance.now() - sinceMs);
      wakeUps.after(waitMs, end, options);
    }, beginsAtMs);
    return times;
  });
  await jest.advanceTimersByTimeAsync(60 * SECOND);
  return endedAtMs.map(({ ends }) => ends);
}

describe('waits', () => {
  test('that are due close together end together, and each within an eighth of its time', async () => {
    const waits = Array.from({ length: 40 }, () => ({
      beginsAtMs: Math.round(random() * 2 * SECOND),
      waitMs: Math.round(8 * SECOND + random() * 2 * SECOND),
    }));
    const ends = await ended(waits);
    ends.forEach((end, index) => {
      const { beginsAtMs = 0, waitMs = 0 } = waits[index] ?? {};
      expect(Math.abs(end - beginsAtMs - waitMs)).toBeLessThanOrEqual(waitMs / 8 + 1);
    });
    expect(new Set(ends).size).toBeLessThan(waits.length / 2);
  });

  test('of which there are many do not all end at once', async () => {
    const ends = await ended(
      Array.from({ length: 40 }, (_, index) => ({ beginsAtMs: index, waitMs: SECOND })),
    );
    const together = ends.map((end) => ends.filter((other) => other === end).length);
    expect(Math.max(...together)).toBe(8);
  });

  test('that are exact end exactly', async () => {
    const waits = [SECOND, SECOND + 1, SECOND + 2].map((waitMs) => ({ beginsAtMs: 0, waitMs }));
    expect(await ended(waits, { isExact: true })).toEqual([SECOND, SECOND + 1, SECOND + 2]);
  });

  test('that are called off never end, and the others do', async () => {
    const wakeUps = new WakeUps();
    const calls: string[] = [];
    const callOff = wakeUps.after(SECOND, () => calls.push('called off'), ABOUT);
    wakeUps.after(SECOND, () => calls.push('kept'), ABOUT);
    callOff();
    const alone = wakeUps.after(5 * SECOND, () => calls.push('alone'), ABOUT);
    alone();
    await jest.advanceTimersByTimeAsync(10 * SECOND);
    expect(calls).toEqual(['kept']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
