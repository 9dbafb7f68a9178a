import type { Reading } from '../reading/reading';

const HOUR_MS = 3_600_000;

/** Where one age ends and the next begins. */
const BOUNDS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

/** Counts are kept for a moment: all who look within a minute ask for the same times. */
const SAME_MS = 60_000;

/** Open sessions of an age, and what finds them. */
export interface AgeGroup {
  readonly count: number;
  readonly after?: Date;
  readonly before?: Date;
}

/** Open sessions by the time since their start, the youngest first. */
export async function openByAge(reading: Reading): Promise<readonly AgeGroup[]> {
  const nowMs = Math.floor(Date.now() / SAME_MS) * SAME_MS;
  const bounds = BOUNDS_MS.map((ageMs) => new Date(nowMs - ageMs));
  const groups = [undefined, ...bounds].map((before, index) => ({ before, after: bounds[index] }));
  return Promise.all(
    groups.map(async ({ before, after }) => {
      const range = { ...(after && { after }), ...(before && { before }) };
      const { value } = await reading.count({
        running: true,
        ...(after && { startedAfter: after }),
        ...(before && { startedBefore: before }),
      });
      return { count: value, ...range };
    }),
  );
}
