import type { KeyPlan, KeysPlan, Plan, SessionPlan } from './plan';

/** Runs a plan. Returns true if it still fails. */
export type IsFailing<P> = (plan: P) => Promise<boolean>;

/** A reduced plan, and the number of its failures. */
export interface Shrunk<P = Plan | KeysPlan> {
  readonly plan: P;
  /** The number of times that the reduced plan failed in `runs` further runs. */
  readonly failed: number;
  readonly runs: number;
}

const RUNS = 3;

/** Reduces a failing plan: removes parts as long as the plan still fails, until `untilMs`. Then runs the reduced plan three more times. */
export async function shrink<P extends Plan | KeysPlan>(
  plan: P,
  isFailing: IsFailing<P>,
  untilMs: number,
): Promise<Shrunk<P>> {
  let smallest = plan;
  let smaller = await firstFailing(smallest, isFailing, untilMs);
  while (smaller !== undefined) {
    smallest = smaller;
    smaller = await firstFailing(smallest, isFailing, untilMs);
  }
  let failed = 0;
  for (let run = 0; run < RUNS; run += 1) if (await isFailing(smallest)) failed += 1;
  return { plan: smallest, failed, runs: RUNS };
}

async function firstFailing<P extends Plan | KeysPlan>(
  plan: P,
  isFailing: IsFailing<P>,
  untilMs: number,
): Promise<P | undefined> {
  // The cast is safe, because the smaller plans are of the same kind as the plan.
  const smaller = ('keys' in plan ? smallerKeys(plan) : smallerThan(plan)) as readonly P[];
  for (const candidate of smaller) {
    if (Date.now() > untilMs) return undefined;
    if (await isFailing(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Returns smaller plans. In this order, they lack the outage, steps of the bookkeeper, half of the sessions, one session, or events of one
 * session.
 */
function smallerThan(plan: Plan): readonly Plan[] {
  const { sessions } = plan;
  const fewer = lessOf(sessions).filter((left) => left.length > 0);
  const quieter = sessions.flatMap((session, index) =>
    quieterThan(session).map((quiet) => sessions.with(index, quiet)),
  );
  const { away: _away, ...staying } = plan;
  return [
    ...(plan.away === undefined ? [] : [staying]),
    ...lessOf(plan.books ?? []).map((books) => ({ ...plan, books })),
    ...[...fewer, ...quieter].map((left) => ({ ...plan, sessions: [...left] })),
  ];
}

/**
 * Returns plans with fewer steps, and then plans with fewer events of a key. All keys stay, because steps refer to keys
 * by their positions.
 */
function smallerKeys(plan: KeysPlan): readonly KeysPlan[] {
  const quieter = plan.keys.flatMap((key, index) =>
    [
      ...lessOf(key.faults).map((faults): KeyPlan => ({ ...key, faults })),
      ...lessOf(key.strikes).map((strikes): KeyPlan => ({ ...key, strikes })),
    ].map((quiet) => ({ ...plan, keys: plan.keys.with(index, quiet) })),
  );
  return [...lessOf(plan.steps).map((steps) => ({ ...plan, steps })), ...quieter];
}

function quieterThan(session: SessionPlan): readonly SessionPlan[] {
  return [
    ...lessOf(session.faults).map((faults) => ({ ...session, faults })),
    ...lessOf(session.acts).map((acts) => ({ ...session, acts })),
    ...lessOf(session.strikes).map((strikes) => ({ ...session, strikes })),
    ...(session.hasPage ? [{ ...session, hasPage: false }] : []),
    ...(session.sharesReference ? [{ ...session, sharesReference: false }] : []),
    ...(session.deadline === undefined ? [] : [withoutDeadline(session)]),
    ...(session.money === undefined ? [] : [withoutMoney(session)]),
  ];
}

function withoutDeadline({ deadline: _deadline, ...session }: SessionPlan): SessionPlan {
  return session;
}

function withoutMoney({ money: _money, ...session }: SessionPlan): SessionPlan {
  return session;
}

/** Returns shorter lists: the empty list, either half, and each list without one element. */
function lessOf<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [];
  const middle = Math.ceil(list.length / 2);
  const halves = list.length > 3 ? [list.slice(0, middle), list.slice(middle)] : [];
  return [[], ...halves, ...(list.length > 1 ? list.map((_, index) => list.toSpliced(index, 1)) : [])];
}
