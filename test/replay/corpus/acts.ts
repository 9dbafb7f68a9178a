import type { PaymentSessionHandle } from '../../../src';
import { stateOf } from '../../support/wait';
import type { LiveStage, Stage } from './scene';
import type { PlainEvent } from '../../../sandbox/sessions/transitions';

/** Helpers that many scenes share. */

/** Polls so often that one activity of a history makes many polls. */
export const QUICK = { fastestPoll: '100ms', slowestPoll: '200ms', slowestUnsignedPoll: '100ms' } as const;

/** Polls so rarely that a scene polls only on request. */
export const RARELY = { fastestPoll: '1h', slowestPoll: '1h' } as const;

/** Makes every call of a route fail, until the faults are cleared. */
export const ALWAYS = 1_000;

export function acts({ sandbox }: Stage, sessionId: string, ...actions: readonly PlainEvent[]): void {
  for (const action of actions) {
    const result = sandbox.act(sessionId, action);
    if (!result.accepted) throw new Error(`the session refuses ${action}: ${result.reason}`);
  }
}

export function completes(stage: Stage, sessionId: string): void {
  acts(stage, sessionId, 'payorStarted', 'completed');
}

/** Makes the service answer every read of the details with `report`, until the faults are cleared. */
export function reports({ sandbox }: Stage, report: Readonly<Record<string, unknown>>): void {
  const body = JSON.stringify(report);
  sandbox.failNext('details', { kind: 'status', status: 200, body, contentType: 'application/json' }, ALWAYS);
}

/** An id that no session of the service has. */
export const NO_SESSION = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';

export const isParked = (session: PaymentSessionHandle) =>
  stateOf(session, ({ phase }) => phase === 'parked');

export const hasTrouble = (session: PaymentSessionHandle, code: string) =>
  stateOf(session, ({ trouble }) => trouble?.code === code);

export const isCode = (session: PaymentSessionHandle, wanted: string) =>
  stateOf(session, ({ code }) => code === wanted);

export const isCancelled = (session: PaymentSessionHandle) =>
  stateOf(session, ({ cancel }) => cancel !== undefined);

/** Returns the id of the session that the last create request opened at the service. */
export function lastCreated({ sandbox }: Stage): string {
  const call = sandbox.calls.findLast(
    ({ route, sessionId }) => route === 'create' && sessionId !== undefined,
  );
  if (call?.sessionId === undefined) throw new Error('no create has reached the service');
  return call.sessionId;
}

/** Waits until the session ends, even if it fails. */
export const ends = (session: PaymentSessionHandle): Promise<unknown> =>
  session.result().catch((error: unknown) => error);

/** Parks the scene's session by losing the answer to its create request. */
export async function park(
  stage: LiveStage,
  request: Parameters<Stage['input']>[0],
): Promise<PaymentSessionHandle> {
  stage.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
  const session = await stage.sessions.start(stage.input(request, { onUnknownCreate: 'park' }));
  await isParked(session);
  return session;
}
