/** Waiting for a session to be opened: by a new start, or as one of many. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { explain } from '../../errors';
import { MESSAGES } from '../../protocol/names';
import type { OpenedSession, SessionState } from '../../protocol/session';
import { sharedUpdateId } from '../../protocol/shared-update';
import { SessionFailedError } from '../session-errors';
import type { PreparedStart } from '../start/prepare-start';
import { unlessTaken } from '../start/taken-key';
import { failed, isEngineBusy, isLostUpdate, isTimeout, refusalCode } from './engine-errors';
import { insisting } from './insisting';
import type { SessionCalls } from './session-calls';

/** A session is parked a few times at most while callers wait for it. */
const MAX_PARKS = 20;

/** Starts a session, or attaches to the one that has the key, and waits until it is opened. */
export async function startAndOpen(calls: SessionCalls, start: PreparedStart): Promise<OpenedSession> {
  const endsAtMs = Date.now() + calls.timeouts.openTimeoutMs;
  const opened = await tellingDelay(calls, () =>
    insisting(calls.timeouts.openTimeoutMs, (timeoutMs) => openAtOnce(calls, start, timeoutMs)),
  );
  return opened ?? openedBefore(calls, endsAtMs);
}

/** Waits until a session is opened that was started before. */
export function awaitOpened(calls: SessionCalls): Promise<OpenedSession> {
  return openedBefore(calls, Date.now() + calls.timeouts.openTimeoutMs);
}

/** Gives nothing where the session is to be asked once more. */
async function openAtOnce(
  calls: SessionCalls,
  start: PreparedStart,
  timeoutMs: number,
): Promise<OpenedSession | undefined> {
  try {
    return await unlessTaken(calls.client, start, () => calls.startAndAwaitOpened(start, timeoutMs));
  } catch (error) {
    if (!isUnsettled(error)) throw error;
    return undefined;
  }
}

/** Whether an update that many share tells nothing of the session now: it was dropped, or settled before. */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  return isLostUpdate(error) || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}

async function openedBefore(calls: SessionCalls, endsAtMs: number): Promise<OpenedSession> {
  for (let park = 0; ; park += 1) {
    // A query costs the session nothing: a page may ask again and again.
    const state = await calls.state(Math.min(leftUntil(endsAtMs), calls.timeouts.queryTimeoutMs));
    if (state.phase !== 'creating' || park === MAX_PARKS) return openedFrom(state);
    // All who ask at this time wait together; those who come after a park need another update.
    const updateId = sharedUpdateId(park === 0 ? undefined : park);
    const ask = (timeoutMs: number) =>
      calls.update<OpenedSession>(MESSAGES.awaitOpened, { timeoutMs, updateId }, (ended) =>
        openedFrom(ended.state),
      );
    try {
      return await tellingDelay(calls, () => insisting(leftUntil(endsAtMs), ask));
    } catch (error) {
      // It is parked, or was when others asked before: their update is settled for good.
      if (refusalCode(error) !== 'CREATE_OUTCOME_UNKNOWN') throw error;
    }
  }
}

/** A call that took too long says whether there is a session that still opens. */
async function tellingDelay<T>(calls: SessionCalls, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTimeout(error) && !isEngineBusy(error) && refusalCode(error) !== 'SESSION_BUSY') throw error;
    throw failed((await isStarted(calls)) ? 'SESSION_STILL_OPENING' : 'ENGINE_UNAVAILABLE', error);
  }
}

async function isStarted(calls: SessionCalls): Promise<boolean> {
  try {
    await calls.describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isTimeout(error)) return false;
    throw error;
  }
}

const leftUntil = (endsAtMs: number): number => Math.max(0, endsAtMs - Date.now());

function openedFrom({ key, phase, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = phase === 'parked' ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: explain(code) });
}
