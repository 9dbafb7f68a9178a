import { describe, expect, test } from '@jest/globals';
import { Refreshes } from '../../../../workflows/shared-requests';

// A refresh is a request of a caller that the session be polled at once.
const START = 1_000;

describe('a requested refresh', () => {
  test('is answered once a poll that began after it has ended', () => {
    const refreshes = new Refreshes();
    const isServed = refreshes.ask();
    const endPoll = refreshes.begin(START);
    expect([isServed(), refreshes.pending]).toEqual([false, true]);
    endPoll();
    expect([isServed(), refreshes.pending]).toEqual([true, false]);
  });

  test('is not answered by a poll that began before the request', () => {
    const refreshes = new Refreshes();
    const endPoll = refreshes.begin(START);
    const isServed = refreshes.ask();
    endPoll();
    expect([isServed(), refreshes.pending]).toEqual([false, true]);
    refreshes.begin(START + 1)();
    expect([isServed(), refreshes.pending]).toEqual([true, false]);
  });

  test('shares a poll with all refreshes that were requested before the poll began', () => {
    const refreshes = new Refreshes();
    const served = [refreshes.ask(), refreshes.ask(), refreshes.ask()];
    refreshes.begin(START)();
    expect(served.map((isServed) => isServed())).toEqual([true, true, true]);
  });

  test('may poll again after the minimum interval since the beginning of the last poll', () => {
    const refreshes = new Refreshes();
    refreshes.begin(START);
    expect(refreshes.notBeforeMs(250)).toBe(START + 250);
  });
});
