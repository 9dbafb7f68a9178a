import type { PaymentSessions } from '../../src/sessions';
import type { Reading } from '../reading/reading';

/** From a session's start to its creation at the service, of a sample. */
export interface OpeningTimes {
  /** Each in milliseconds, the shortest first. */
  readonly times: readonly number[];
}

/** A sample, because the index does not tell when a session was opened, and each result is a question of its own. */
const SAMPLE = 10;

/** How long the last completed sessions took to open, as their results tell: no worker is needed. */
export async function openingTimes(reading: Reading, sessions: PaymentSessions): Promise<OpeningTimes> {
  const { sessions: last } = await reading.page({ running: false, status: 'Completed' }, { size: SAMPLE });
  const times = await Promise.all(
    last.map(async ({ key, startedAt }) => {
      try {
        const { stateHistory } = await sessions.get(key).result();
        const [opened] = stateHistory;
        return opened === undefined ? undefined : Date.parse(opened.firstSeenAt) - startedAt.getTime();
      } catch {
        // One that cannot be read, for want of a key for instance, is no part of the sample.
        return undefined;
      }
    }),
  );
  const known = times.filter((ms) => ms !== undefined && ms >= 0) as number[];
  return { times: known.sort((a, b) => a - b) };
}
