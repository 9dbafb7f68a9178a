import type { PaymentSessionHandle, SessionPolicy, SessionRequest } from '../../src';
import { leftOpen } from './requests';
import { stateOf } from './wait';
import type { World } from './worlds/world';

export interface ParkedSession {
  readonly session: PaymentSessionHandle;
  /** The id of the session that the lost create request has opened at the payment service. */
  readonly lost: string;
}

/** Starts a session, loses the answer to the create request, and waits until the session is parked. */
export async function park(
  world: World,
  request: SessionRequest = leftOpen(),
  policy: SessionPolicy = {},
): Promise<ParkedSession> {
  world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
  const session = await world.sessions.start(world.input(request, { ...policy, onUnknownCreate: 'park' }));
  await stateOf(session, ({ phase }) => phase === 'parked');
  const lost = world.sandbox.calls.findLast(({ route }) => route === 'create')?.sessionId;
  if (lost === undefined) throw new Error('the create made no session');
  return { session, lost };
}
