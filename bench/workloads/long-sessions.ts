import type { Client } from '@temporalio/client';
import { type Cadence, cadenceOf } from '../../src/protocol/cadence';
import { createPaymentWorld, type PaymentWorld } from '../../testkit';
import { actionsOf, eventsOf, following } from '../figures/following';
import { historyFigures } from '../figures/histories';
import { requestOf } from '../sides/request';
import { resolvePolicy } from '../../src/protocol/policy';

/**
 * The costs of a session that lasts for days. These are only counts, because times and CPU mean nothing in virtual
 * time.
 */
export interface LongSession {
  readonly events: number;
  readonly actions: number;
  readonly heartbeats: number;
  readonly detailsCalls: number;
}

/** Before a worker sends a create request, it records the request in a heartbeat. */
const CREATE_HEARTBEATS = 1;

interface Course {
  /** The time for which the session stays in its last state before the end. Workers poll it during this time. */
  readonly followedMs: number;
  readonly lastState: { readonly status: string; readonly code: string };
  readonly play: (world: PaymentWorld, sessionId: string) => Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The courses of the two sessions. No payor finishes them. */
const COURSES: Readonly<Record<'abandoned' | 'unsigned', Course>> = {
  /** No payor opens the page, and the session is cancelled at its deadline. */
  abandoned: {
    followedMs: 25 * HOUR_MS,
    lastState: { status: 'Initiated', code: 'EFT0101' },
    play: () => Promise.resolve(),
  },
  /** The bank account is validated, and the agreement is never signed. */
  unsigned: {
    followedMs: 30 * DAY_MS,
    lastState: { status: 'Completed', code: 'EFT0302' },
    play: (world, sessionId) => world.payor(sessionId).validatesBank(),
  },
};

/**
 * Counts the costs of a session that no payor finishes, with paysession's default policy. The sandbox does not expire
 * the session before its deadline.
 *
 * The session runs in virtual time, so that days take seconds. In virtual time, a worker cannot keep a session in
 * memory between polls (hold it), because time does not skip while an activity runs. A real worker holds the session.
 * So the last, long execution of the activity `followSession` is replaced with the computed work of a worker that holds
 * the session.
 */
export async function longSession(name: keyof typeof COURSES): Promise<LongSession> {
  const { followedMs, lastState, play } = COURSES[name];
  const request = requestOf(name);
  const sandbox = { idleExpiryMs: 40 * DAY_MS, absoluteExpiryMs: 40 * DAY_MS };
  const world = await createPaymentWorld({ sandbox });
  try {
    const { session, sessionId } = await world.sessions.open({ key: name, request });
    await play(world, sessionId);
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
