import type { Environment } from './environment';
import type { Run, ScheduledActivity } from './run';
import type { ModelWorld } from './world';

/** The maximum number of rounds. A session that continues for ever is a fault. */
const MOST_ROUNDS = 500;
/** The longest time for which back-offs are waited for. It is shorter than any deadline. */
const SOON_MS = 600_000;
/** The same time while the ledger is unavailable, when workflows would wait again and again. */
const SOON_WHILE_AWAY_MS = 20_000;

/** Lets workers do all work of an environment without faults, and lets the time of back-offs pass. */
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

/** True if another attempt of the activity would change nothing: the session has been polled, or the ledger is unavailable. */
function isRestful(run: Run, activity: ScheduledActivity, taken: ReadonlyMap<string, number>): boolean {
  return (taken.get(placeOf(run, activity)) ?? 0) >= MOST_TAKES;
}

/** The number of attempts that are enough. A followed session is polled in the second one. */
const MOST_TAKES = 3;

/** Times out activities that no worker has any more, as after a restore of the Temporal server. */
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

/** Lets a long time pass while no worker runs. Timers and timeouts that are then due take effect. */
export async function passTime(world: ModelWorld, milliseconds: number): Promise<void> {
  const nowMs = world.clock.pass(milliseconds);
  for (const { temporal } of world.environments)
    for (const run of temporal.runs.filter(({ isRunning }) => isRunning)) {
      await temporal.expire(run, nowMs);
      await temporal.fire(run, nowMs);
    }
}
