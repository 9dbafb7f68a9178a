import type { Environment } from './environment';
import type { Run, ScheduledActivity } from './run';
import type { ModelWorld } from './world';

/** The maximum number of rounds. More rounds mean that a session never comes to rest, which is a fault. */
const MOST_ROUNDS = 500;
/** The maximum time that `calm` lets pass for retries, in milliseconds. It is shorter than any deadline of a session. */
const SOON_MS = 600_000;
/** This maximum while the ledger is unavailable: then, workflows retry again and again. */
const SOON_WHILE_AWAY_MS = 20_000;

/** Lets workers do all work of an environment without faults, and lets time pass for retries, until only long waits are left. */
export async function calm(world: ModelWorld, environment: Environment): Promise<void> {
  const taken = new Map<string, number>();
  const untilMs = world.clock.now() + (world.isLedgerAway ? SOON_WHILE_AWAY_MS : SOON_MS);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (!(await goOn(world, environment, { taken, untilMs }))) return;
  }
  throw new Error(`${environment.name} does not come to rest`);
}

interface Bounds {
  /** The number of times that each activity was taken since the session's status last changed. */
  readonly taken: Map<string, number>;
  readonly untilMs: number;
}

/** Takes one step. Returns false if nothing is left to do. */
async function goOn(
  world: ModelWorld,
  environment: Environment,
  { taken, untilMs }: Bounds,
): Promise<boolean> {
  const [attempt] = environment.attempts;
  if (attempt !== undefined) {
    await attempt.pass('ok');
    return true;
  }
  await loseOrphans(environment);
  const next = environment.waiting.find(({ run, activity }) => !isRestful(run, activity, taken));
  if (next !== undefined) {
    const { run, activity } = next;
    taken.set(placeOf(run, activity), (taken.get(placeOf(run, activity)) ?? 0) + 1);
    await environment.take(run, activity, 0);
    return true;
  }
  return fireNext(world, environment, untilMs);
}

const placeOf = ({ start: { runId }, state }: Run, { seq }: ScheduledActivity): string =>
  `${runId} ${seq} ${state.shown['PaymentSessionStatus'] ?? ''}`;

/** True if the activity had enough attempts. Another attempt would change nothing: the session was polled, or the ledger is away. */
function isRestful(run: Run, activity: ScheduledActivity, taken: ReadonlyMap<string, number>): boolean {
  return (taken.get(placeOf(run, activity)) ?? 0) >= MOST_TAKES;
}

/** The number of attempts that are enough. An activity that follows a session polls in its second attempt. */
const MOST_TAKES = 3;

/** Times out activities that are started at the server but that no worker runs, as after a restore of the server. */
async function loseOrphans({ temporal }: Environment): Promise<void> {
  for (const run of temporal.runs.filter(({ isRunning }) => isRunning)) {
    for (const { seq, attempt, isStarted } of run.state.activities.values())
      if (isStarted) await temporal.timeOut({ runId: run.start.runId, seq, attempt });
  }
}

async function fireNext(world: ModelWorld, { temporal }: Environment, untilMs: number): Promise<boolean> {
  const running = temporal.runs.filter(({ isRunning }) => isRunning);
  const timers = running.flatMap((run) => [...run.state.timers.values()].map((atMs) => ({ run, atMs })));
  const [next] = timers.toSorted((one, other) => one.atMs - other.atMs);
  const nowMs = world.clock.now();
  if (next === undefined || next.atMs > untilMs) return false;
  if (next.atMs > nowMs) world.clock.pass(next.atMs - nowMs);
  await temporal.fire(next.run, world.clock.now());
  return true;
}

/** Lets a long time pass while no worker runs. Then fires all timers and timeouts that have become due. */
export async function passTime(world: ModelWorld, milliseconds: number): Promise<void> {
  const nowMs = world.clock.pass(milliseconds);
  for (const { temporal } of world.environments)
    for (const run of temporal.runs.filter(({ isRunning }) => isRunning)) {
      await temporal.expire(run, nowMs);
      await temporal.fire(run, nowMs);
    }
}
