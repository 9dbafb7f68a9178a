import { describe, expect, test } from '@jest/globals';
import { StaleWhileRevalidate } from '../../../console/reading/stale-while-revalidate';
import { soon } from '../../../src/sessions';

/** Reads that a test answers or fails. */
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
    asked: () => given.length,
    give: (at: number) => given[at]?.(at),
    fail: (at: number) => failed[at]?.(new Error('lost')),
  };
}

describe('a cached answer', () => {
  test('is read once for all who need it at the same time or soon after', async () => {
    const remembered = new StaleWhileRevalidate<number>({ freshMs: 60_000, usableMs: 60_000 });
    const { read, asked, give } = answers();
    const both = [remembered.get('a', read), remembered.get('a', read)];
    give(0);
    expect((await Promise.all(both)).map(({ value }) => value)).toEqual([0, 0]);
    await remembered.get('a', read);
    expect(asked()).toBe(1);
  });

  test('is returned while a new one is read, as long as it is usable', async () => {
    const remembered = new StaleWhileRevalidate<number>({ freshMs: 0, usableMs: 60_000 });
    const { read, asked, give } = answers();
    const first = remembered.get('a', read);
    give(0);
    await first;
    expect((await remembered.get('a', read)).value).toBe(0);
    expect(asked()).toBe(2);
    give(1);
    await Promise.resolve();
    expect((await remembered.get('a', read)).value).toBe(1);
  });

  test('is not returned if it is too old: readers then get a new one, or the error of its read', async () => {
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

test('a read that throws at once is repeated for the next reader', async () => {
  const remembered = new StaleWhileRevalidate<number>({ freshMs: 0, usableMs: 0 });
  const failing = () => {
    throw new Error('lost');
  };
  await expect(remembered.get('a', failing)).rejects.toThrow('lost');
  expect((await remembered.get('a', () => Promise.resolve(7))).value).toBe(7);
});

test('soon gives up waiting for a promise that takes too long, without hiding its later failure', async () => {
  const { read, fail } = answers();
  const slow = read();
  expect(await soon(slow, 1)).toBeUndefined();
  fail(0);
  await expect(slow).rejects.toThrow('lost');
  expect(await soon(Promise.resolve(7), 1_000)).toBe(7);
});
