import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../../../testkit/histories/history-json';
import type { PaymentSessionInput } from '../../../src';
import { checkEpisode, checkSession } from '../invariants/all';
import type { Creation, SessionEvidence, Violation } from '../invariants/evidence';
import { checkTokens } from '../invariants/pace';
import type { Away, Plan } from '../plan/plan';
import type { Bookkeeper } from '../ledger/bookkeeper';
import { createAttempts } from './create-attempts';
import { historiesOf } from './histories';
import { retryUntilAnswered } from './retry-until';
import { startAgain } from './start-again';
import { SessionRun } from './session-run';
import type { Lane, World } from './world';
import type { SandboxCall } from '../../../sandbox/calls/calls';

export interface EpisodeOptions {
  readonly plan: Plan;
  /** The prefix of the keys of the episode's sessions. */
  readonly name: string;
  /** The time, in milliseconds, within which a session must end after the last fault. */
  readonly settlesWithinMs: number;
  /** @default nothing is reconciled */
  readonly bookkeeper?: Bookkeeper | undefined;
}

/** The result of an episode. */
export interface Episode {
  readonly plan: Plan;
  /** The inputs of the episode's sessions, by their keys. */
  readonly inputs: ReadonlyMap<string, PaymentSessionInput>;
  readonly evidence: readonly SessionEvidence[];
  readonly violations: readonly Violation[];
}

/** A session that takes longer than this multiple of `settlesWithinMs` is given up as stuck. */
const STUCK_AFTER = 1.5;
/** The planned outage begins when all sessions are under way, but at the latest after this time, in milliseconds. */
const UNDER_WAY_WITHIN_MS = 8_000;
const CHECK_EVERY_MS = 50;

/**
 * Plays an episode in a lane (an account with its own URL). Checks every invariant that can be checked with the sessions of one episode.
 */
export async function runEpisode(world: World, lane: Lane, options: EpisodeOptions): Promise<Episode> {
  const { plan, name, settlesWithinMs } = options;
  lane.authorizeFaults.splice(0, Infinity, ...plan.authorizes);
  const ofEpisode = { sharedReference: `${name}-shared`, isLeftAlone: plan.away !== undefined };
  const runs = plan.sessions.map(
    (session, index) => new SessionRun(world, lane, session, `${name}-${index}`, ofEpisode),
  );
  const plays = runs.map((run) => run.play(settlesWithinMs * STUCK_AFTER));
  const played = Promise.all([...plays, holdPlannedOutage(world, runs, plan.away)]);
  await Promise.all([played, options.bookkeeper?.keep(lane, plan, runs, played)]);
  const calls = world.sandbox.calls;
  const known = await Promise.all(
    runs.map(async (run) => ({ run, evidence: await evidenceOf(run, calls, settlesWithinMs) })),
  );
  const evidence = known.map((each) => each.evidence);
  const again = await Promise.all(known.map((each) => startAgain(each.run, each.evidence)));
  const violations = [
    ...evidence.flatMap(checkSession),
    ...checkEpisode(evidence),
    ...checkTokens(lane.front.exchanges, 1),
    ...again.flat(),
  ];
  lane.front.forget(new Set(runs.map(({ key }) => key)));
  for (const run of runs) {
    lane.runs.delete(run.key);
    if (run.ending === undefined) await terminate(run);
  }
  return {
    plan,
    inputs: new Map(runs.map(({ key, input }) => [key, input])),
    evidence,
    violations,
  };
}

/** Lets the planned outage begin once all sessions are under way. */
async function holdPlannedOutage(
  world: World,
  runs: readonly SessionRun[],
  away: Away | undefined,
): Promise<void> {
  if (away === undefined) return;
  const untilMs = Date.now() + UNDER_WAY_WITHIN_MS;
  while (Date.now() < untilMs && !runs.every(({ isUnderWay }) => isUnderWay)) await sleep(CHECK_EVERY_MS);
  await world.desk.holdOutage(away, () => {
    for (const run of runs) run.whileAway();
  });
}

async function evidenceOf(
  run: SessionRun,
  calls: readonly SandboxCall[],
  settlesWithinMs: number,
): Promise<SessionEvidence> {
  const { world, lane, key, plan, acts, ending, startedAtMs, endedAtMs } = run;
  const { desk } = world;
  let histories: readonly History[] = [];
  await retryUntilAnswered(async () => {
    histories = await historiesOf(world.client, run.handle.workflowId);
  });
  const named = [...run.named].flatMap((sessionId) => world.sandbox.session(sessionId) ?? []);
  const creations = [...run.created, ...named].map((session): Creation => ({
    sessionId: session.sessionId,
    ...(named.includes(session) && { isNamed: true }),
    truth: truthOf(run, session.sessionId).states(session),
    ...overAt(truthOf(run, session.sessionId).overAtMs(session.sessionId)),
    cancels: calls.filter(({ route, sessionId }) => route === 'cancel' && sessionId === session.sessionId)
      .length,
  }));
  return {
    key,
    firstRunId: firstRunOf(histories),
    plan,
    creations,
    exchanges: lane.front.exchanges.filter(
      ({ session, sessionId }) => session === key || (sessionId !== undefined && run.named.has(sessionId)),
    ),
    acts,
    ...(ending !== undefined && { ending }),
    endedAtMs,
    quietSinceMs: Math.min(desk.quietFromMs(run.lastDisturbanceMs), endedAtMs),
    settlesWithinMs,
    attempts: await createAttempts(histories, world.client),
    resets: run.resets,
    wasParked: run.wasParked,
    wasFound: run.wasFound,
    strikesWhileCreating: desk.countBetween(startedAtMs, Math.min(run.openedAtMs, endedAtMs)),
    strikes: desk.countBetween(startedAtMs, endedAtMs),
    histories,
  };
}

const firstRunOf = ([first]: readonly History[]): string =>
  first?.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? '';

/**
 * Returns the true events of a session of the payment service. They are recorded with the key for which the session was made, and `run` may
 * have adopted another key's session.
 */
function truthOf(run: SessionRun, sessionId: string): SessionRun['truth'] {
  const owner = [...run.lane.runs.values()].find(({ created }) =>
    created.some((session) => session.sessionId === sessionId),
  );
  return (owner ?? run).truth;
}

/** Terminates a stuck session, because it would keep the workers busy. */
async function terminate(run: SessionRun): Promise<void> {
  await retryUntilAnswered(() =>
    run.world.client.workflow.getHandle(run.handle.workflowId).terminate('stuck in a campaign'),
  );
}

const overAt = (overAtMs: number | undefined) => (overAtMs === undefined ? {} : { overAtMs });
