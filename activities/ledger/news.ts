import type { CancelResult, FindResult, PollResult, SessionInput } from '../../src/protocol/activities';
import type { StateSource } from '../../src/protocol/state/recorded';
import { newState } from '../../src/protocol/ledger/session-facts';
import type { ActivitiesOptions } from '../dependencies';

/** What became of a call to the service; some tell how the session stands. */
type Told = CancelResult | FindResult | PollResult;

/** Tells the ledger of a new state before the workflow hears of it. Does not reject. */
export type Note = (told: Told) => Promise<void>;

/** Makes the note of a session's calls; there is none where the session is not on the ledger. */
export function newsNote({
  ledger,
  now,
}: Pick<ActivitiesOptions, 'ledger' | 'now'>): (
  input: SessionInput,
  source: StateSource,
) => Note | undefined {
  return ({ onLedger, sessionId }, source) => {
    if (ledger === undefined || onLedger === undefined) return undefined;
    return async (told) => {
      if (!('snapshot' in told)) return;
      const facts = newState(onLedger, told.snapshot, { source, at: isoTime(now) });
      if (facts.length === 0) return;
      // The ledger may have lost that it was opened: the state says whose it is.
      const opened = { kind: 'opened', at: facts[0]?.at ?? '', sessionId, how: 'found' } as const;
      await ledger.record(onLedger, [opened, ...facts]);
    };
  };
}

/** Makes a call, and takes note of what it tells. */
export async function noting<T extends Told>(note: Note | undefined, call: Promise<T>): Promise<T> {
  const told = await call;
  await note?.(told);
  return told;
}

/** The time of the worker, or of the clock that stands in for it. ISO 8601, UTC. */
export const isoTime = (now: () => number = Date.now): string => new Date(now()).toISOString();
