import type { PaymentSessions, SessionSummary } from '../../src/sessions';
import type { Reading } from '../reading/reading';

/** How quick the last completed sessions were; each list in milliseconds, the shortest first. */
export interface LastCompleted {
  /** From a session's start to its creation at the service. */
  readonly opening: readonly number[];
  /** How late an end was seen at most. */
  readonly delays: readonly number[];
}

/** So many tell their delay, which the index has. */
const LOOKED_AT = 100;
/** So many tell when they were opened: their results have that, and each is a question of its own. */
const OPENINGS = 10;

/** Reads how quick the last completed sessions were: no worker is needed. */
export async function lastCompleted(reading: Reading, sessions: PaymentSessions): Promise<LastCompleted> {
  const { sessions: last } = await reading.page(
    { running: false, answered: false, status: 'Completed' },
    { size: LOOKED_AT },
  );
  const times = await Promise.all(last.slice(0, OPENINGS).map((summary) => openedAfterMs(sessions, summary)));
  return { opening: ascending(times), delays: ascending(last.map(({ newsDelayMs }) => newsDelayMs)) };
}

async function openedAfterMs(
  sessions: PaymentSessions,
  { key, startedAt }: SessionSummary,
): Promise<number | undefined> {
  try {
    const { stateHistory } = await sessions.get(key).result();
    const [opened] = stateHistory;
    return opened === undefined ? undefined : Date.parse(opened.firstSeenAt) - startedAt.getTime();
  } catch {
    // One that cannot be read, for want of a key for instance, is no part of the sample.
    return undefined;
  }
}

const ascending = (times: readonly (number | undefined)[]): readonly number[] =>
  times.filter((ms) => ms !== undefined && ms >= 0).sort((a = 0, b = 0) => a - b) as number[];
