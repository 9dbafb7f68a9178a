import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { newestFirst, type ReadPart, type Started } from '../../../src/sessions/list/newest-first';
import { testSeed } from '../../support/seed';

const seed = testSeed();
const NOW_MS = Date.now();
const DAY_MS = 86_400_000;

/** Returns a fake of Temporal's index, which returns rows in any order, up to a limit. It counts the reads and the rows. */
function indexOf(startsMs: readonly number[]) {
  const rows = startsMs.map((ms, index) => ({ startedAt: new Date(ms), key: `${index}`, ms }));
  const counts = { reads: 0, rows: 0 };
  const read: ReadPart<Started> = ({ fromMs = -Infinity, beforeMs = Infinity }, limit) => {
    counts.reads += 1;
    const found: Started[] = [];
    let complete = true;
    for (const row of rows) {
      if (row.ms < fromMs || row.ms >= beforeMs) continue;
      complete = found.length < limit;
      if (!complete) break;
      found.push(row);
    }
    counts.rows += found.length;
    return Promise.resolve({ found, complete });
  };
  return { read, counts };
}

async function listed(read: ReadPart<Started>, limit = Infinity): Promise<number[]> {
  const starts: number[] = [];
  for await (const { startedAt } of newestFirst(read)) {
    if (starts.push(startedAt.getTime()) >= limit) break;
  }
  return starts;
}

const newestOf = (startsMs: readonly number[]) => [...startsMs].sort((a, b) => b - a);

/** `count` random start times within `spreadMs`. The newest is `agoMs` ago. */
const batch = fc
  .record({
    count: fc.integer({ min: 0, max: 3_000 }),
    spreadMs: fc.constantFrom(1, 1_000, 3_600_000, 30 * DAY_MS),
    agoMs: fc.constantFrom(-30_000, 0, 60_000, DAY_MS, 400 * DAY_MS),
  })
  .map(({ count, spreadMs, agoMs }) =>
    Array.from({ length: count }, (_, index) => NOW_MS - agoMs - ((index * 7_919) % spreadMs)),
  );

describe('a list of sessions, newest first, of an index in any order', () => {
  test('has each session once, for any distribution of start times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 4 }), async (batches) => {
        const starts = batches.flat();
        expect(await listed(indexOf(starts).read)).toEqual(newestOf(starts));
      }),
      { seed, numRuns: 60 },
    );
  });

  test('needs one read if there are few sessions', async () => {
    const { read, counts } = indexOf(Array.from({ length: 900 }, (_, index) => NOW_MS - index * DAY_MS));
    await listed(read);
    expect(counts.reads).toBe(1);
  });

  test('returns the newest hundred of a hundred thousand sessions without reading all of them', async () => {
    const { read, counts } = indexOf(Array.from({ length: 100_000 }, (_, index) => NOW_MS - index * 1_000));
    expect(await listed(read, 100)).toHaveLength(100);
    expect(counts.rows).toBeLessThan(10_000);
  });
});
