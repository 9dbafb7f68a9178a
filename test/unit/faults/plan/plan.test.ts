import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { drawPlan, optionsOn } from '../../../../chaos/faults/plan/draw';
import { drawAwayPlan } from '../../../../chaos/faults/plan/draw-away';
import { drawKeysPlan } from '../../../../chaos/faults/plan/draw-keys';
import {
  ACTS,
  BOOK_STEPS,
  DECISIONS,
  KEY_STEPS,
  readPlan,
  RETURN_CODES,
  STRIKES,
  type Plan,
} from '../../../../chaos/faults/plan/plan';
import { shrink } from '../../../../chaos/faults/plan/shrink';

// A plan of a campaign of faults is drawn at random. It has sessions with faults of calls, acts of people (cancels, decisions),
// and strikes against processes.
const SEED = 42;
/** Returns the number of sessions, faults, acts and strikes in a plan. */
const eventsIn = ({ sessions }: Plan): number =>
  sessions.reduce(
    (sum, { faults, acts, strikes }) => sum + 1 + faults.length + acts.length + strikes.length,
    0,
  );

describe('a drawn plan of faults', () => {
  test('is the same for the same seed and number, and differs for another seed or number', () => {
    expect(drawPlan(SEED, 3)).toEqual(drawPlan(SEED, 3));
    expect(drawPlan(SEED, 3)).not.toEqual(drawPlan(SEED, 4));
    expect(drawPlan(SEED, 3)).not.toEqual(drawPlan(SEED + 1, 3));
  });

  const plans = Array.from({ length: 400 }, (_, number) => drawPlan(SEED, number));
  const sessions = plans.flatMap((plan) => plan.sessions);

  test('has more than four faults per session on average', () => {
    const faults = sessions.reduce((sum, session) => sum + session.faults.length, 0);
    expect(faults / sessions.length).toBeGreaterThan(4);
  });

  const OF_LEDGER = ['killLedger', 'cutCommit'];
  const strikesOf = (some: readonly Plan[]) =>
    some.flatMap((plan) => plan.sessions.flatMap(({ strikes }) => strikes.map(({ strike }) => strike)));

  test.each(STRIKES.filter((strike) => strike !== 'rollOut' && !OF_LEDGER.includes(strike)))(
    'may contain the strike %s',
    (strike) => {
      expect(sessions.some(({ strikes }) => strikes.some((one) => one.strike === strike))).toBe(true);
    },
  );

  const withLedger = Array.from({ length: 50 }, (_, number) =>
    drawPlan(SEED, number, optionsOn({ cluster: false, ledger: true })),
  );

  test('with a ledger, has money that settles at once or late, without a return or with each return code', () => {
    const moneys = withLedger.flatMap((plan) => plan.sessions.map(({ money }) => money));
    expect(new Set(moneys.map((money) => money?.settles))).toEqual(new Set(['atOnce', 'late']));
    expect(new Set(moneys.map((money) => money?.returns))).toEqual(new Set([undefined, ...RETURN_CODES]));
    expect(sessions.filter(({ money }) => money !== undefined)).toEqual([]);
    expect(drawPlan(SEED, 3, optionsOn({ cluster: false, ledger: true }))).toEqual(withLedger[3]);
  });

  test('with a ledger, has each step of a bookkeeper, in the order of payments', () => {
    const books = withLedger.map((plan) => plan.books ?? []);
    expect(new Set(books.flat().map(({ does }) => does))).toEqual(new Set(BOOK_STEPS));
    for (const steps of books)
      expect(steps.map(({ after }) => after)).toEqual(
        steps.map(({ after }) => after).toSorted((one, other) => one - other),
      );
    expect(plans.filter((plan) => plan.books !== undefined)).toEqual([]);
  });

  test('strikes the ledger only if the plan is for a ledger', () => {
    expect(strikesOf(withLedger)).toEqual(expect.arrayContaining(OF_LEDGER));
    expect(strikesOf(plans).filter((strike) => OF_LEDGER.includes(strike))).toEqual([]);
  });

  test('on a cluster with a ledger, kills the Temporal server, changes the worker version and strikes the ledger', () => {
    const options = optionsOn({ cluster: true, ledger: true });
    const onBoth = Array.from({ length: 50 }, (_, number) => drawPlan(SEED, number, options));
    expect(strikesOf(onBoth)).toEqual(expect.arrayContaining(['killTemporal', 'rollOut', ...OF_LEDGER]));
  });

  test.each(ACTS)('may contain the act %s', (act) => {
    expect(sessions.some(({ acts }) => acts.some((one) => one.act === act))).toBe(true);
  });

  test('on a cluster, replaces workers by workers of another version', () => {
    const onCluster = Array.from({ length: 50 }, (_, number) =>
      drawPlan(SEED, number, optionsOn({ cluster: true, ledger: false })),
    );
    const strikes = onCluster.flatMap((plan) => plan.sessions.flatMap((session) => session.strikes));
    expect(strikes.map(({ strike }) => strike)).toContain('rollOut');
  });

  test.each(DECISIONS)(
    'may have a person decide to %s for a parked session, while all payments have one reference',
    (decision) => {
      expect(
        sessions.some(
          (session) =>
            session.decision === decision && session.sharesReference && session.onUnknownCreate === 'park',
        ),
      ).toBe(true);
    },
  );

  test('has short deadlines, and either all or no payments of an episode have one reference', () => {
    expect(new Set(sessions.map(({ deadline }) => deadline))).toEqual(
      new Set([undefined, 'overall', 'signature']),
    );
    // A payment can be mistaken for another payment only if they share their reference.
    for (const { sessions: own } of plans)
      expect(new Set(own.map(({ sharesReference }) => sharesReference)).size).toBe(1);
    expect(new Set(sessions.map(({ sharesReference }) => sharesReference))).toEqual(new Set([true, false]));
  });
});

describe('a drawn plan of an episode without workers or without Temporal for a time', () => {
  const plans = Array.from({ length: 50 }, (_, number) =>
    drawAwayPlan(SEED, number, { sessions: 20, seconds: 80 }),
  );

  test('is the same for the same seed and number', () => {
    expect(drawAwayPlan(SEED, 3, { sessions: 20, seconds: 80 })).toEqual(plans[3]);
    expect(plans[3]).not.toEqual(plans[4]);
  });

  test('has each kind of deadline, and payors who act or do not act during the outage', () => {
    const sessions = plans.flatMap((plan) => plan.sessions);
    const actsWhileAway = ({ payor }: Plan['sessions'][number]) => payor.some(({ at }) => at === 'away');
    for (const deadline of ['overall', 'signature'])
      expect(new Set(sessions.filter((session) => session.deadline === deadline).map(actsWhileAway))).toEqual(
        new Set([true, false]),
      );
    expect(sessions.some(({ deadline }) => deadline === 'unclear')).toBe(true);
    expect(new Set(plans.map(({ away }) => away?.who))).toEqual(new Set(['workers', 'temporal']));
  });

  test('does not stop a shared Temporal server', () => {
    const others = Array.from({ length: 50 }, (_, number) =>
      drawAwayPlan(SEED, number, { sessions: 20, seconds: 80, isTemporalShared: true }),
    );
    expect(new Set(others.map(({ away }) => away?.who))).toEqual(new Set(['workers']));
  });
});

describe('a drawn plan that starts keys again', () => {
  const plans = Array.from({ length: 60 }, (_, number) => drawKeysPlan(SEED, number));

  test('is the same for the same seed and number', () => {
    expect(drawKeysPlan(SEED, 3)).toEqual(plans[3]);
    expect(plans[3]).not.toEqual(plans[4]);
  });

  test.each(KEY_STEPS)('may contain the step %s', (step) => {
    expect(plans.some(({ steps }) => steps.some(({ does }) => does === step))).toBe(true);
  });

  test('begins each key with a start, and takes a copy before each restore', () => {
    for (const { keys, steps } of plans) {
      for (const key of keys.keys())
        expect(steps.find((step) => step.key === key && !/^(copy|restore)/.test(step.does))?.does).toBe(
          'start',
        );
      for (const [index, { does }] of steps.entries())
        if (does.startsWith('restore'))
          expect(steps.slice(0, index).map((step) => step.does)).toContain(does.replace('restore', 'copy'));
    }
  });
});

describe('a failing plan of faults', () => {
  /** True if a session has the fault `hang`. */
  const failsBy = (plan: Plan) =>
    plan.sessions.some(({ faults }) => faults.some(({ fault }) => fault === 'hang'));
  const plan = Array.from({ length: 50 }, (_, number) => drawPlan(SEED, number)).find(failsBy);

  test('is reduced to the events that make the plan fail, and then runs three times', async () => {
    if (plan === undefined) throw new Error('no plan holds the fault');
    const shrunk = await shrink(plan, (one) => Promise.resolve(failsBy(one)), Infinity);
    expect(eventsIn(plan)).toBeGreaterThan(10);
    expect(eventsIn(shrunk.plan)).toBe(2);
    expect(shrunk).toMatchObject({ failed: 3, runs: 3 });
  });

  test('is reduced to the step of the bookkeeper and the money that make the plan fail', async () => {
    const failsByReturn = ({ sessions, books = [] }: Plan) =>
      books.some(({ does }) => does === 'readTwice') &&
      sessions.some(({ money }) => money?.returns === '905');
    const options = optionsOn({ cluster: false, ledger: true });
    const drawn = Array.from({ length: 50 }, (_, number) => drawPlan(SEED, number, options)).find(
      failsByReturn,
    );
    if (drawn === undefined) throw new Error('no plan has both');
    const shrunk = await shrink(drawn, (one) => Promise.resolve(failsByReturn(one)), Infinity);
    expect(shrunk.plan.books?.map(({ does }) => does)).toEqual(['readTwice']);
    expect(shrunk.plan.sessions.map(({ money }) => money?.returns)).toEqual(['905']);
  });

  test('is reduced to the steps with keys that make the plan fail', async () => {
    const keys = drawKeysPlan(SEED, 1);
    const failsByDrop = ({ steps }: typeof keys) => steps.some(({ does }) => does === 'drop');
    const shrunk = await shrink(keys, (one) => Promise.resolve(failsByDrop(one)), Infinity);
    expect(shrunk.plan.steps.map(({ does }) => does)).toEqual(['drop']);
    expect(shrunk.plan.keys.map(({ faults, strikes }) => [faults, strikes])).toEqual(
      keys.keys.map(() => [[], []]),
    );
  });

  test('is unchanged if there is no time for its reduction', async () => {
    if (plan === undefined) throw new Error('no plan holds the fault');
    const shrunk = await shrink(plan, (one) => Promise.resolve(one === plan), 0);
    expect(shrunk.plan).toBe(plan);
  });
});

test('every committed plan of a regression is readable', () => {
  const folder = join(__dirname, '..', '..', '..', '..', 'chaos', 'faults', 'regressions');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readPlan(join(folder, name)).about).toBeDefined();
});
