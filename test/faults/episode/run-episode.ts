import type { History } from '../../../testkit/history-json';
import type { SandboxCall } from '../../../sandbox';
import { checkSession } from '../invariants/all';
import type { Creation, SessionEvidence, Violation } from '../invariants/evidence';
import { checkTokens } from '../invariants/pace';
import type { Plan } from '../plan/plan';
import { historiesOf } from './histories';
import { insist } from './insist';
import { SessionRun } from './session-run';
import type { Lane, World } from './world';

export interface EpisodeOptions {
  readonly plan: Plan;
  /** Begins the references of its sessions. */
  readonly name: string;
  /** How long a session may take when nothing goes wrong any more, in milliseconds. */
  readonly settlesWithinMs: number;
}

/** What came of an episode. */
export interface Episode {
  readonly plan: Plan;
  readonly evidence: readonly SessionEvidence[];
  readonly violations: readonly Violation[];
}

/** A session that takes so many times longer than it may is given up. */
const STUCK_AFTER = 1.5;

/** Plays an episode in a lane, and checks every invariant that its sessions can violate by themselves. */
export async function runEpisode(world: World, lane: Lane, options: EpisodeOptions): Promise<Episode> {
  const { plan, name, settlesWithinMs } = options;
  lane.authorizeFaults.splice(0, Infinity, ...plan.authorizes);
  const runs = plan.sessions.map(
    (session, index) => new SessionRun(world, lane, session, `${name}-${index}`),
  );
  await Promise.all(runs.map((run) => run.play(settlesWithinMs * STUCK_AFTER)));
  const calls = world.sandbox.calls;
  const evidence = await Promise.all(runs.map((run) => evidenceOf(run, calls, settlesWithinMs)));
  const violations = [...evidence.flatMap(checkSession), ...checkTokens(lane.front.exchanges, 1)];
  lane.front.forget(new Set(runs.map(({ reference }) => reference)));
  for (const run of runs) {
    lane.runs.delete(run.reference);
    if (run.ending === undefined) await terminate(run);
  }
  return {
    plan,
    evidence,
    violations,
  };
}

async function evidenceOf(
  run: SessionRun,
  calls: readonly SandboxCall[],
  settlesWithinMs: number,
): Promise<SessionEvidence> {
  const { world, lane, reference, plan, acts, ending, startedAtMs, endedAtMs } = run;
  const { desk } = world;
  let histories: readonly History[] = [];
  await insist(async () => {
    histories = await historiesOf(world.client, run.handle.workflowId);
  });
  const creations = run.created.map((session): Creation => ({
    sessionId: session.sessionId,
    truth: run.truth.states(session),
    ...overAt(run.truth.overAtMs(session.sessionId)),
    cancels: calls.filter(({ route, sessionId }) => route === 'cancel' && sessionId === session.sessionId)
      .length,
  }));
  return {
    reference,
    plan,
    creations,
    exchanges: lane.front.exchanges.filter(({ session }) => session === reference),
    acts,
    ...(ending !== undefined && { ending }),
    endedAtMs,
    quietSinceMs: Math.min(desk.quietFromMs(run.lastDisturbanceMs), endedAtMs),
    settlesWithinMs,
    wasParked: run.wasParked,
    wasFound: run.wasFound,
    strikesWhileCreating: desk.countBetween(startedAtMs, Math.min(run.openedAtMs, endedAtMs)),
    strikes: desk.countBetween(startedAtMs, endedAtMs),
    histories,
  };
}

/** A session that is stuck would keep the workers busy. */
async function terminate(run: SessionRun): Promise<void> {
  await insist(() =>
    run.world.client.workflow.getHandle(run.handle.workflowId).terminate('stuck in a campaign'),
  );
}

const overAt = (overAtMs: number | undefined) => (overAtMs === undefined ? {} : { overAtMs });
