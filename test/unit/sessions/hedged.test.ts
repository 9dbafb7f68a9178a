import { expect, test } from '@jest/globals';
import { hedged } from '../../../src/sessions/calls/retry';

const never = () => new Promise<never>(() => undefined);

/** Asks that go as `ways` say, one after the other. */
function asking<T>(...ways: readonly (() => Promise<T>)[]) {
  let asked = 0;
  const ask = () => {
    const way = ways[asked];
    asked += 1;
    if (way === undefined) throw new Error('asked too often');
    return way();
  };
  return { ask, times: () => asked };
}

test('an answer that comes is asked for once', async () => {
  const { ask, times } = asking(() => Promise.resolve('answer'));
  expect(await hedged(ask, 1)).toBe('answer');
  expect(times()).toBe(1);
});

test('a query that a frozen worker keeps is asked once more', async () => {
  const { ask, times } = asking<string>(never, () => Promise.resolve('from another worker'));
  expect(await hedged(ask, 1)).toBe('from another worker');
  expect(times()).toBe(2);
});

test('a slow first answer counts, too', async () => {
  let answer: (text: string) => void = () => undefined;
  const slow = () => new Promise<string>((resolve) => (answer = resolve));
  const { ask } = asking<string>(slow, () => {
    answer('late');
    return never();
  });
  expect(await hedged(ask, 1)).toBe('late');
});

test('a refusal is not asked for again', async () => {
  const { ask, times } = asking(() => Promise.reject(new Error('refused')));
  await expect(hedged(ask, 1)).rejects.toThrow('refused');
  expect(times()).toBe(1);
});

test('a second time that fails leaves the first one its chance', async () => {
  let answer: (text: string) => void = () => undefined;
  const slow = () => new Promise<string>((resolve) => (answer = resolve));
  const { ask } = asking<string>(slow, () => {
    setImmediate(() => {
      answer('late');
    });
    return Promise.reject(new Error('the server is busy'));
  });
  expect(await hedged(ask, 1)).toBe('late');
});
