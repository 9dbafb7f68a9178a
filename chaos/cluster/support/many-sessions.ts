import { expect } from '@jest/globals';
import type { OpenedPaymentSession, SessionPolicy } from '../../../src';
import { isPaid } from '../../../src/contract';
import { leftOpen } from '../../../test/support/requests';
import type { World } from '../../../test/support/worlds/world';

/** Polls are rare, so that a machine with a hundred sessions still has time to stop and start nodes. */
const POLICY: SessionPolicy = { fastestPoll: '2s' };
const AT_ONCE = 20;

/** Opens sessions, and leaves them unpaid. */
export async function openMany(world: World, count: number): Promise<readonly OpenedPaymentSession[]> {
  const opened: OpenedPaymentSession[] = [];
  const open = () => world.sessions.open(world.input(leftOpen(), POLICY));
  while (opened.length < count) {
    const next = Math.min(AT_ONCE, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: next }, open))));
  }
  return opened;
}

/** Lets the payors pay. */
export function payAll(world: World, opened: readonly OpenedPaymentSession[]): void {
  for (const { sessionId } of opened) world.payor(sessionId).completes();
}

/**
 * Waits until each session has ended. Expects the same end at the service, and exactly one create request for each session in the sandbox's
 * log.
 */
export async function expectAsAudited(world: World, opened: readonly OpenedPaymentSession[]): Promise<void> {
  const results = await Promise.all(opened.map(({ session }) => session.result()));
  const creates = createsBySession(world);
  for (const [index, { sessionId, status, code, paid, anomalies }] of results.entries()) {
    expect(sessionId).toBe(opened[index]?.sessionId);
    const known = world.sandbox.session(sessionId ?? '');
    expect({ status, code }).toEqual({ status: known?.state.status, code: known?.state.code });
    expect(paid).toBe(
      known !== undefined && isPaid(known.kind, { status, ...(code !== undefined && { code }) }),
    );
    expect(anomalies).toEqual([]);
    expect(creates.get(sessionId)).toBe(1);
  }
}

function createsBySession({ sandbox }: World): ReadonlyMap<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const { route, sessionId } of sandbox.calls)
    if (route === 'create') counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return counts;
}

/** Returns the number of create requests that the service has received. */
export const countCreates = (world: World): number =>
  world.sandbox.calls.filter(({ route }) => route === 'create').length;
