import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  HINT_SPACING_MS,
  HintedRefreshes,
  MOST_SEARCHED,
  SEARCH_EVERY_MS,
  type HintedOutcome,
} from '../../../worker/hinted-refreshes';

// A hint is a request that says that a session has changed. The worker then searches Temporal's index for the open session with the
// id's first eight characters, and refreshes it: it polls the session at once.
let open: Map<string, string[]>;
let searches: (readonly string[])[];
let refreshed: string[];
let outcomes: HintedOutcome[];
let failures: unknown[];
let refreshes: HintedRefreshes;
let find: () => Promise<void>;
let refresh: () => Promise<void>;

beforeEach(() => {
  jest.useFakeTimers();
  open = new Map();
  [searches, refreshed, outcomes, failures] = [[], [], [], []];
  find = refresh = () => Promise.resolve();
  refreshes = new HintedRefreshes({
    find: async (shortIds) => {
      searches.push(shortIds);
      await find();
      return open;
    },
    refresh: async (key) => {
      refreshed.push(key);
      await refresh();
    },
    onOutcome: (outcome) => outcomes.push(outcome),
    onFailure: (failure) => failures.push(failure),
  });
});

afterEach(() => {
  refreshes.stop();
  jest.useRealTimers();
});

const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

/** Adds an open session with this key to the index, and returns its id. */
function openSession(key: string): string {
  const id = randomUUID();
  open.set(id.slice(0, 8), [key]);
  return id;
}

/** Returns an operation that lasts until `end` is called, and then has the outcome `outcome`. */
function endsLater(outcome: () => Promise<void>) {
  let end: () => void = () => undefined;
  const begin = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    }).then(outcome);
  return {
    begin,
    end: () => {
      end();
    },
  };
}

describe('a session that a hint names', () => {
  test('is refreshed at once', async () => {
    refreshes.take([openSession('order-1')]);
    await pass(0);
    expect(refreshed).toEqual(['order-1']);
    expect(outcomes).toEqual(['refreshed']);
  });

  test('is refreshed once for a hundred hints at the same time, in any case of the id’s letters', async () => {
    const id = openSession('order-1');
    for (let hint = 0; hint < 100; hint += 1) refreshes.take([id, id.toUpperCase()]);
    await pass(0);
    expect(refreshed).toEqual(['order-1']);
  });

  test('is refreshed again for a later hint, but only after the minimum interval', async () => {
    const id = openSession('order-1');
    refreshes.take([id]);
    await pass(1_000);
    for (let replay = 0; replay < 100; replay += 1) refreshes.take([id]);
    await pass(HINT_SPACING_MS - 1_001);
    expect(refreshed).toHaveLength(1);
    await pass(1);
    expect(refreshed).toHaveLength(2);
  });

  test('is refreshed at most once per minimum interval, even if a hint is repeated for a minute', async () => {
    const id = openSession('order-1');
    for (let second = 0; second < 60; second += 1) {
      refreshes.take([id]);
      await pass(1_000);
    }
    expect(refreshed.length).toBeGreaterThan(1);
    expect(refreshed.length).toBeLessThanOrEqual(60_000 / HINT_SPACING_MS + 1);
  });

  test('is searched for twice and not refreshed, if the index does not have it', async () => {
    refreshes.take([randomUUID()]);
    await pass(10 * HINT_SPACING_MS);
    expect(searches).toHaveLength(2);
    expect([refreshed, outcomes]).toEqual([[], ['unknown']]);
  });

  test('is refreshed if the index has it only at the second search', async () => {
    const id = randomUUID();
    refreshes.take([id]);
    await pass(0);
    open.set(id.slice(0, 8), ['order-1']);
    await pass(HINT_SPACING_MS);
    expect(refreshed).toEqual(['order-1']);
  });

  test('is not refreshed if Temporal does not answer: its next regular poll comes later', async () => {
    find = () => Promise.reject(new Error('away'));
    refreshes.take([openSession('order-1')]);
    await pass(10 * HINT_SPACING_MS);
    expect(searches).toHaveLength(1);
    expect([refreshed, outcomes]).toEqual([[], ['failed']]);
  });

  test('is not refreshed again if its refresh fails: its next regular poll comes later', async () => {
    refresh = () => Promise.reject(new Error('no worker'));
    refreshes.take([openSession('order-1')]);
    await pass(10 * HINT_SPACING_MS);
    expect([refreshed, outcomes]).toEqual([['order-1'], ['failed']]);
  });
});

describe('a flood of hints', () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

  test('causes searches of the index in batches, with a pause between two searches', async () => {
    refreshes.take(ids(500));
    await pass(SEARCH_EVERY_MS - 1);
    expect(searches.map(({ length }) => length)).toEqual([MOST_SEARCHED]);
    await pass(3 * SEARCH_EVERY_MS);
    expect(searches.length).toBeLessThanOrEqual(4);
  });

  test('causes no further search until the current search ends', async () => {
    let end: () => void = () => undefined;
    find = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    refreshes.take(ids(500));
    await pass(HINT_SPACING_MS);
    refreshes.take(ids(1));
    await pass(HINT_SPACING_MS);
    expect(searches).toHaveLength(1);
    end();
    await pass(SEARCH_EVERY_MS);
    expect(searches).toHaveLength(2);
  });

  test('causes at most 200 refreshes at a time', async () => {
    refresh = () => new Promise(() => undefined);
    const flood = Array.from({ length: 500 }, (_, index) => openSession(`order-${index}`));
    refreshes.take(flood);
    await pass(60 * SEARCH_EVERY_MS);
    expect(refreshed).toHaveLength(200);
  });

  test('causes about 200 refreshes at a time if several sessions share the beginning of their ids', async () => {
    refresh = () => new Promise(() => undefined);
    const flood = Array.from({ length: 500 }, (_, index) => openSession(`order-${index}`));
    for (const [shortId, keys] of [...open].slice(1)) open.set(shortId, [...keys, `${keys.join()}-again`]);
    refreshes.take(flood);
    await pass(60 * SEARCH_EVERY_MS);
    expect(refreshed).toHaveLength(201);
  });

  test('is dropped beyond a thousand sessions, and hints are accepted again later', async () => {
    expect(refreshes.take(ids(1_000))).toBe(true);
    expect(refreshes.take(ids(1))).toBe(false);
    await pass(4 * HINT_SPACING_MS);
    expect(refreshes.take([openSession('order-1')])).toBe(true);
    await pass(4 * HINT_SPACING_MS);
    expect(refreshed).toEqual(['order-1']);
  });

  test('is dropped when the worker stops', async () => {
    refreshes.take(ids(500));
    refreshes.stop();
    await pass(10 * HINT_SPACING_MS);
    expect(searches).toEqual([]);
  });

  test.each<[string, () => Promise<void>]>([
    ['finds a session', () => Promise.resolve()],
    ['fails', () => Promise.reject(new Error('closed'))],
  ])(
    'is dropped when the worker stops during a search, even if the search then %s',
    async (_end, outcome) => {
      const work = endsLater(outcome);
      find = work.begin;
      refreshes.take([openSession('order-1')]);
      await pass(0);
      refreshes.stop();
      work.end();
      await pass(10 * HINT_SPACING_MS);
      expect([searches.length, refreshed, outcomes, failures]).toEqual([1, [], [], []]);
    },
  );

  test.each<[string, () => Promise<void>]>([
    ['succeeds', () => Promise.resolve()],
    ['fails', () => Promise.reject(new Error('closed'))],
  ])(
    'is not reported after the worker has stopped, even if a running refresh then %s',
    async (_end, outcome) => {
      const work = endsLater(outcome);
      refresh = work.begin;
      refreshes.take([openSession('order-1')]);
      await pass(0);
      refreshes.stop();
      work.end();
      await pass(0);
      expect([refreshed, outcomes, failures]).toEqual([['order-1'], [], []]);
    },
  );
});
