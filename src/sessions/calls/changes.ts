/** Waiting for the changes of a session. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { MESSAGES } from '../../protocol/names';
import type { SessionState } from '../../protocol/session';
import { changeUpdateId } from '../../protocol/shared-update';
import { isTimeout, isRefusedUpdate } from './engine-errors';
import type { SessionCalls } from './session-calls';

/** Options of `changes`. */
export interface ChangesOptions {
  /** Ends the waiting: then there are no more states. */
  readonly signal?: AbortSignal;
}

/** How long one call waits; the next one joins the same update. */
const WAIT_MS = 60_000;
/** How often a session is looked at that takes no update. */
const LOOK_EVERY_MS = 5_000;

/** The session's state now, and after each change, until it has ended. */
export async function* changesOf(
  calls: SessionCalls,
  { signal }: ChangesOptions = {},
): AsyncIterable<SessionState> {
  let known: SessionState | undefined;
  while (!signal?.aborted && known?.phase !== 'ended') {
    const state = await unlessAborted(calls, signal, () =>
      known ? awaitNext(calls, known, signal) : calls.state(),
    );
    if (state === undefined) continue;
    if (known === undefined || state.phase === 'ended' || state.revision !== known.revision) yield state;
    known = state;
  }
}

/** The state after a change; the same state where there was none for a while. */
async function awaitNext(
  calls: SessionCalls,
  known: SessionState,
  signal: AbortSignal | undefined,
): Promise<SessionState> {
  const { revision = 0 } = known;
  const options = { argument: revision, updateId: changeUpdateId(revision), timeoutMs: WAIT_MS };
  try {
    return await calls.update<SessionState>(MESSAGES.awaitChange, options, ({ state }) => state);
  } catch (error) {
    if (isTimeout(error)) return known;
    if (!(error instanceof WorkflowUpdateFailedError) && !isRefusedUpdate(error)) throw error;
    // The run has taken all the updates that it may, or its worker is of a version without this one.
    await sleep(LOOK_EVERY_MS, undefined, signal && { signal });
    return calls.state();
  }
}

/** Gives nothing once the caller waits no more. */
async function unlessAborted<T>(
  { client }: SessionCalls,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T | undefined> {
  if (signal === undefined) return call();
  try {
    return await client.withAbortSignal(signal, call);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
