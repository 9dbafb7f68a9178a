import type { Client } from '@temporalio/client';
import { type Cadence, cadenceOf } from '../../src/protocol/cadence';
import { createPaymentWorld, type PaymentWorld } from '../../testkit';
import { actionsOf, eventsOf, following } from '../figures/following';
import { historyFigures } from '../figures/histories';
import { requestOf } from '../sides/request';
import { resolvePolicy } from '../../src/protocol/policy';

/** The counted costs of a session that lasts days. There are no other figures, because the session runs in virtual time. */
export interface LongSession {
  readonly events: number;
  readonly actions: number;
  readonly heartbeats: number;
  readonly detailsCalls: number;
}

/** With this heartbeat, the worker records a create request before it sends the request. */
const CREATE_HEARTBEATS = 1;

interface Fate {
  /** The time for which the session is followed in its last state before the end. */
  readonly followedMs: number;
  readonly lastState: { readonly status: string; readonly code: string };
  readonly happens: (world: PaymentWorld, sessionId: string) => Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The courses of sessions that no payor finishes. */
const FATES: Readonly<Record<'abandoned' | 'unsigned', Fate>> = {
  /** No payor comes, and the session is cancelled at its deadline. */
  abandoned: {
    followedMs: 25 * HOUR_MS,
    lastState: { status: 'Initiated', code: 'EFT0101' },
    happens: () => Promise.resolve(),
  },
  /** The bank account is validated, and the agreement is never signed. */
  unsigned: {
    followedMs: 30 * DAY_MS,
    lastState: { status: 'Completed', code: 'EFT0302' },
    happens: (world, sessionId) => world.payor(sessionId).validatesBank(),
  },
};

/**
 * Counts the costs of a session that no payor finishes, with paysession's default policy. The service would expire the
 * session later. The history comes from virtual time, in which no session is held, because time does not pass while an
 * activity runs. So the work of the last, long execution of `followSession` is replaced with the work of a worker that
 * holds the session.
 */
export async function longSession(name: keyof typeof FATES): Promise<LongSession> {
  const { followedMs, lastState, happens } = FATES[name];
  const request = requestOf(name);
  const sandbox = { idleExpiryMs: 40 * DAY_MS, absoluteExpiryMs: 40 * DAY_MS };
  const world = await createPaymentWorld({ sandbox });
  try {
    const { session, sessionId } = await world.sessions.open({ key: name, request });
    await happens(world, sessionId);
    await world.advance(followedMs + HOUR_MS);
    await session.result();
    const measured = await historyFigures(world.client, session.workflowId);
    const attempts = await lastAttempts(world.client, session.workflowId);
    const cadence: Cadence = cadenceOf(lastState, resolvePolicy({}, request));
    const held = following(cadence, followedMs);
    return {
      events: measured.events - eventsOf({ executions: 1 }) + eventsOf(held),
      actions: measured.actions - attempts + CREATE_HEARTBEATS + actionsOf(held),
      heartbeats: CREATE_HEARTBEATS + held.heartbeats,
      detailsCalls: held.polls,
    };
  } finally {
    await world.close();
  }
}

/** Returns the number of attempts of the last execution of `followSession`. */
async function lastAttempts(client: Client, workflowId: string): Promise<number> {
  const { events = [] } = await client.workflow.getHandle(workflowId).fetchHistory();
  const followed = events?.findLast(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'followSession',
  );
  const started = events?.findLast(
    ({ activityTaskStartedEventAttributes: attributes }) =>
      String(attributes?.scheduledEventId) === String(followed?.eventId),
  );
  return started?.activityTaskStartedEventAttributes?.attempt ?? 0;
}
