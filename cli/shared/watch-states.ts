import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentSessionHandle } from '../../src/sessions';
import type { StateHistoryEntry } from '../../src/protocol/recorded';

/** How often a watched session's history is asked for. */
const LOOK_EVERY_MS = 250;

/** Gives each state of a session as it is recorded, the past ones first, until the session has ended. */
export async function* watchStates(
  session: PaymentSessionHandle,
  signal?: AbortSignal,
): AsyncIterable<StateHistoryEntry> {
  let given = 0;
  for (;;) {
    const { phase } = await session.state();
    const history = await session.stateHistory();
    yield* history.slice(given);
    given = history.length;
    if (phase === 'ended' || signal?.aborted) return;
    await sleep(LOOK_EVERY_MS, undefined, signal && { signal }).catch(() => undefined);
  }
}
