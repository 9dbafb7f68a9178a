import type { PaymentSessionHandle } from '../../../src';
import { stateOf } from '../../support/wait';
import type { LiveStage, Stage } from './scene';
import type { PlainEvent } from '../../../sandbox/sessions/transitions';

// Helpers for scenes. A scene is a scripted session, whose history is recorded for the replay tests.

/** A policy with so many polls that one activity of the recorded history makes several. */
export const QUICK = { fastestPoll: '100ms', slowestPoll: '200ms', slowestUnsignedPoll: '100ms' } as const;

/** A policy with so few polls that a scene is polled only by a refresh. */
export const RARELY = { fastestPoll: '1h', slowestPoll: '1h' } as const;

/** The number of failures that makes all calls of a route fail until the scene clears the faults. */
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

/** Waits until the session has ended or failed. */
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
