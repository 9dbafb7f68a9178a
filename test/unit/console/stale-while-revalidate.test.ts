import { describe, expect, test } from '@jest/globals';
import { StaleWhileRevalidate } from '../../../console/reading/stale-while-revalidate';
import { soon } from '../../../src/sessions';

/** Returns a function that reads, and functions by which the test answers a read or lets it fail. */
function answers() {
  const given: ((value: number) => void)[] = [];
  const failed: ((error: Error) => void)[] = [];
  const read = () =>
    new Promise<number>((resolve, reject) => {
      given.push(resolve);
      failed.push(reject);
    });
  return {
    read,
    count: () => given.length,
    give: (at: number) => given[at]?.(at),
    fail: (at: number) => failed[at]?.(new Error('lost')),
  };
}

describe('a cached answer', () => {
  test('is read once for all callers at the same time, and for a caller soon after', async () => {
    const remembered = new StaleWhileRevalidate<number>({ freshMs: 60_000, usableMs: 60_000 });
    const { read, count, give } = answers();
    const both = [remembered.get('a', read), remembered.get('a', read)];
    give(0);
    expect((await Promise.all(both)).map(({ value }) => value)).toEqual([0, 0]);
    await remembered.get('a', read);
    expect(count()).toBe(1);
  });

  test('is returned while it is usable, and meanwhile read again', async () => {
    const remembered = new StaleWhileRevalidate<number>({ freshMs: 0, usableMs: 60_000 });
    const { read, count, give } = answers();
    const first = remembered.get('a', read);
    give(0);
    await first;
    expect((await remembered.get('a', read)).value).toBe(0);
    expect(count()).toBe(2);
    give(1);
    await Promise.resolve();
    expect((await remembered.get('a', read)).value).toBe(1);
  });

  test('is not returned if it is too old: the caller gets the result or the error of another read', async () => {
    const remembered = new StaleWhileRevalidate<number>({ freshMs: 0, usableMs: 0 });
    const { read, give, fail } = answers();
    const first = remembered.get('a', read);
    give(0);
    await first;
    const second = remembered.get('a', read);
    fail(1);
    await expect(second).rejects.toThrow('lost');
  });
});

test('after a read that throws, the next caller reads again', async () => {
  const remembered = new StaleWhileRevalidate<number>({ freshMs: 0, usableMs: 0 });
  const failing = () => {
    throw new Error('lost');
  };
  await expect(remembered.get('a', failing)).rejects.toThrow('lost');
  expect((await remembered.get('a', () => Promise.resolve(7))).value).toBe(7);
});

test('soon() stops waiting for a promise after the given time, and the promise can still reject afterwards', async () => {
  const { read, fail } = answers();
  const slow = read();
  expect(await soon(slow, 1)).toBeUndefined();
  fail(0);
  await expect(slow).rejects.toThrow('lost');
  expect(await soon(Promise.resolve(7), 1_000)).toBe(7);
});
