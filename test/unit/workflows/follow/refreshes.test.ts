import { describe, expect, test } from '@jest/globals';
import { Refreshes } from '../../../../workflows/shared-requests';

const START = 1_000;

describe('a requested refresh', () => {
  test('is answered once a poll that began after it has ended', () => {
    const refreshes = new Refreshes();
    const isServed = refreshes.ask();
    const ended = refreshes.begin(START);
    expect([isServed(), refreshes.pending]).toEqual([false, true]);
    ended();
    expect([isServed(), refreshes.pending]).toEqual([true, false]);
  });

  test('is not answered by a poll that began before it', () => {
    const refreshes = new Refreshes();
    const ended = refreshes.begin(START);
    const isServed = refreshes.ask();
    ended();
    expect([isServed(), refreshes.pending]).toEqual([false, true]);
    refreshes.begin(START + 1)();
    expect([isServed(), refreshes.pending]).toEqual([true, false]);
  });

  test('shares its poll with all refreshes that came before the poll began', () => {
    const refreshes = new Refreshes();
    const served = [refreshes.ask(), refreshes.ask(), refreshes.ask()];
    refreshes.begin(START)();
    expect(served.map((isServed) => isServed())).toEqual([true, true, true]);
  });

  test('may poll again once the minimum interval has passed since the last poll began', () => {
    const refreshes = new Refreshes();
    refreshes.begin(START);
    expect(refreshes.notBeforeMs(250)).toBe(START + 250);
  });
});
