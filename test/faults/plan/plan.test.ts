import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { drawPlan } from './draw';
import { drawAwayPlan } from './draw-away';
import { readPlan, type Plan } from './plan';
import { shrink } from './shrink';

const SEED = 42;
/** Everything that happens in a plan. */
const happenings = ({ sessions }: Plan): number =>
  sessions.reduce(
    (sum, { faults, acts, strikes }) => sum + 1 + faults.length + acts.length + strikes.length,
    0,
  );

describe('a drawn plan', () => {
  test('is the same for the same seed and number, and another for others', () => {
    expect(drawPlan(SEED, 3)).toEqual(drawPlan(SEED, 3));
    expect(drawPlan(SEED, 3)).not.toEqual(drawPlan(SEED, 4));
    expect(drawPlan(SEED, 3)).not.toEqual(drawPlan(SEED + 1, 3));
  });

  test('holds some faults for each session', () => {
    const plans = Array.from({ length: 50 }, (_, number) => drawPlan(SEED, number));
    const sessions = plans.flatMap((plan) => plan.sessions);
    const faults = sessions.reduce((sum, session) => sum + session.faults.length, 0);
    expect(faults / sessions.length).toBeGreaterThan(4);
    const strikes = new Set(sessions.flatMap((session) => session.strikes.map(({ strike }) => strike)));
    for (const strike of ['killWorker', 'wrongSecret'] as const) expect(strikes).toContain(strike);
    expect(sessions.some(({ acts }) => acts.some(({ act }) => act.startsWith('reset')))).toBe(true);
    expect(new Set(sessions.map(({ deadline }) => deadline))).toEqual(
      new Set([undefined, 'overall', 'signature']),
    );
    // Payments that look alike are so in all of an episode: only then can one be taken for another.
    for (const { sessions: own } of plans)
      expect(new Set(own.map(({ sharesReference }) => sharesReference)).size).toBe(1);
    expect(new Set(sessions.map(({ sharesReference }) => sharesReference))).toEqual(new Set([true, false]));
  });
});

describe('a drawn plan of an episode that is left alone', () => {
  const plans = Array.from({ length: 50 }, (_, number) =>
    drawAwayPlan(SEED, number, { sessions: 20, seconds: 80 }),
  );

  test('is the same for the same seed and number', () => {
    expect(drawAwayPlan(SEED, 3, { sessions: 20, seconds: 80 })).toEqual(plans[3]);
    expect(plans[3]).not.toEqual(plans[4]);
  });

  test('holds each kind of deadline, with a payor who acts when nobody is there and one who does not', () => {
    const sessions = plans.flatMap((plan) => plan.sessions);
    const isAlone = ({ payor }: Plan['sessions'][number]) => payor.some(({ at }) => at === 'away');
    for (const deadline of ['overall', 'signature'])
      expect(new Set(sessions.filter((session) => session.deadline === deadline).map(isAlone))).toEqual(
        new Set([true, false]),
      );
    expect(sessions.some(({ deadline }) => deadline === 'unclear')).toBe(true);
    expect(new Set(plans.map(({ away }) => away?.who))).toEqual(new Set(['workers', 'engine']));
  });
});

describe('a failing plan', () => {
  /** Fails by one fault of one session. */
  const failsBy = (plan: Plan) =>
    plan.sessions.some(({ faults }) => faults.some(({ fault }) => fault === 'hang'));
  const plan = Array.from({ length: 50 }, (_, number) => drawPlan(SEED, number)).find(failsBy);

  test('is reduced to what it fails by, and run three times more', async () => {
    if (plan === undefined) throw new Error('no plan holds the fault');
    const shrunk = await shrink(plan, (one) => Promise.resolve(failsBy(one)), Infinity);
    expect(happenings(plan)).toBeGreaterThan(10);
    expect(happenings(shrunk.plan)).toBe(2);
    expect(shrunk).toMatchObject({ failed: 3, runs: 3 });
  });

  test('is left as it is when there is no time', async () => {
    if (plan === undefined) throw new Error('no plan holds the fault');
    const shrunk = await shrink(plan, (one) => Promise.resolve(one === plan), 0);
    expect(shrunk.plan).toBe(plan);
  });
});

test('every committed plan can be read', () => {
  const folder = join(__dirname, '..', 'regressions');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readPlan(join(folder, name)).about).toBeDefined();
});
