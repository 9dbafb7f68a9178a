import { expect } from '@jest/globals';
import type { PaymentSessionHandle, SessionPolicy } from '../../../../src';
import { leftOpen } from '../../requests';
import { until } from '../../wait';
import type { World } from '../../worlds/world';

/** The interval between polls of each session in its first five minutes, in milliseconds. */
export const POLL_MS = 2_000;
const POLICY: SessionPolicy = { fastestPoll: POLL_MS };
/**
 * The time after which the Temporal server notices that a session’s worker is lost, in milliseconds. It is the larger of 30 seconds
 * and three polling intervals.
 */
export const HEARTBEAT_TIMEOUT_MS = 30_000;
/** Additional milliseconds for the start of a worker and for the polls of all sessions. */
export const MARGIN_MS = 10_000;

interface Opened {
  readonly session: PaymentSessionHandle;
  readonly sessionId: string;
}

/** The number of sessions that are opened at the same time. */
const AT_ONCE = 20;

/** Opens sessions that stay open, and waits until each has been polled. `count` must be a multiple of 20. */
export async function openMany(world: World, count: number): Promise<Opened[]> {
  const opened: Opened[] = [];
  const open = () => world.sessions.open(world.input(leftOpen(), POLICY));
  while (opened.length < count) opened.push(...(await Promise.all(Array.from({ length: AT_ONCE }, open))));
  await polled(world, opened, new Date());
  return opened;
}

/**
 * Waits until each session has been polled after `since`. The sandbox drops its oldest calls, but keeps enough calls to include the
 * latest poll of each session.
 */
export async function polled(world: World, opened: readonly Opened[], since: Date): Promise<void> {
  const polledSince = () => {
    const calls = world.sandbox.calls.filter(({ at }) => Date.parse(at) >= since.getTime());
    const ids = new Set(calls.map(({ sessionId }) => sessionId));
    return opened.filter(({ sessionId }) => ids.has(sessionId)).length;
  };
  await until(
    () => Promise.resolve(polledSince()),
    (count) => count === opened.length,
  );
}

/** Makes all payors pay. Returns the time in milliseconds until the last session has ended. */
export async function completeAll(world: World, opened: readonly Opened[]): Promise<number> {
  const paidAt = performance.now();
  for (const { sessionId } of opened) world.payor(sessionId).completes();
  const results = await Promise.all(opened.map(({ session }) => session.result()));
  for (const { stateHistory, anomalies } of results) {
    expect(stateHistory.map(({ code }) => code)).toEqual(['EFT0101', 'EFT0301']);
    expect(anomalies).toEqual([]);
  }
  return performance.now() - paidAt;
}

/** The number of open sessions when a worker or the Temporal server is lost. */
export const SESSIONS = 200;
