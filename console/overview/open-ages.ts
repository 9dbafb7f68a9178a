import type { Reading } from '../reading/reading';

const HOUR_MS = 3_600_000;

/** Where one age ends and the next begins. */
const BOUNDS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

/** Open sessions of an age. */
export interface AgeGroup {
  readonly count: number;
}

/** Open sessions by the time since their start, the youngest first. */
export async function openByAge(reading: Reading): Promise<readonly AgeGroup[]> {
  const nowMs = Date.now();
  const bounds = BOUNDS_MS.map((ageMs) => new Date(nowMs - ageMs));
  const groups = [undefined, ...bounds].map((before, index) => ({ before, after: bounds[index] }));
  return Promise.all(
    groups.map(async ({ before, after }) => {
      const count = await reading.countNow({
        running: true,
        ...(after && { startedAfter: after }),
        ...(before && { startedBefore: before }),
      });
      return { count };
    }),
  );
}
