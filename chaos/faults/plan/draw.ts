import fc from 'fast-check';
import {
  ACTS,
  BOOK_STEPS,
  PAYOR_ACTS,
  RETURN_CODES,
  STAGES,
  type Act,
  type Plan,
  type PlannedDeadline,
  type PayorAct,
  type Point,
  type SessionPlan,
} from './plan';
import { AUTHORIZE_FAULTS, CANCEL_FAULTS, CREATE_FAULTS, HTTP_FAULTS, type HttpFault } from './http-faults';

/**
 * Limits and frequencies of the sessions and events in a plan. A strike is an act against a process, such as a kill. A session has at most
 * one strike. The options `…StrikeOneOf`, `rotationOneOf`, `oddWorkerOneOf` and `rollOutOneOf` set the frequency of the kinds of strikes.
 * With the value 3, there is one such strike for every three sessions without a strike.
 */
export interface DrawOptions {
  /** The maximum number of sessions in an episode. */
  readonly sessions: number;
  /** Strikes at a worker. */
  readonly workerStrikeOneOf: number;
  /** Strikes at the Temporal server. */
  readonly temporalStrikeOneOf: number;
  /** Strikes that change the encryption key of all workers and callers, or that start one worker without the key. */
  readonly rotationOneOf: number;
  /** Strikes that start a worker with a wrong secret, or that set a worker's clock wrong. */
  readonly oddWorkerOneOf: number;
  /** One in this many sessions is reset by an operator. */
  readonly resetOneOf: number;
  /** One in this many sessions has a short deadline. */
  readonly deadlineOneOf: number;
  /** In one of this many episodes, the payments of all sessions look alike. */
  readonly alikeOneOf: number;
  /** Strikes that replace all workers with those of another version. @default none */
  readonly rollOutOneOf?: number;
  /** Strikes at the ledger. @default none */
  readonly ledgerStrikeOneOf?: number;
}

const USUAL: DrawOptions = {
  sessions: 12,
  workerStrikeOneOf: 3,
  temporalStrikeOneOf: 80,
  rotationOneOf: 250,
  oddWorkerOneOf: 80,
  resetOneOf: 25,
  deadlineOneOf: 6,
  alikeOneOf: 3,
};

/** On a cluster, the Temporal server is struck more often, because it has more processes. */
const ON_CLUSTER: DrawOptions = {
  ...USUAL,
  temporalStrikeOneOf: 6,
  workerStrikeOneOf: 40,
  rollOutOneOf: 60,
};

/** With a ledger, the ledger is struck as often as workers. */
const ON_LEDGER: DrawOptions = {
  ...USUAL,
  workerStrikeOneOf: 2,
  temporalStrikeOneOf: 20,
  ledgerStrikeOneOf: 2,
};

/** With a cluster and a ledger, both are struck often. */
const ON_CLUSTER_WITH_LEDGER: DrawOptions = { ...ON_LEDGER, ...ON_CLUSTER };

/** Returns the options that fit the available servers. */
export function optionsOn({
  cluster,
  ledger,
}: {
  readonly cluster: boolean;
  readonly ledger: boolean;
}): DrawOptions {
  if (cluster) return ledger ? ON_CLUSTER_WITH_LEDGER : ON_CLUSTER;
  return ledger ? ON_LEDGER : USUAL;
}

/** Draws the plan of an episode. The same seed and number draw the same plan. */
export function drawPlan(seed: number, number: number, options: DrawOptions = USUAL): Plan {
  const [plan] = fc.sample(plans(options), { seed: seed + number * 7_919, numRuns: 1 });
  if (plan === undefined) throw new Error('fast-check drew nothing');
  return plan;
}

function plans(options: DrawOptions): fc.Arbitrary<Plan> {
  const { sessions } = options;
  const session = sessionPlans(options);
  const alike = session.map((drawn) => ({ ...drawn, sharesReference: true }));
  const some = (one: fc.Arbitrary<SessionPlan>) =>
    fc.array(one, { minLength: Math.ceil(sessions / 2), maxLength: sessions, size: 'max' });
  return oneIn(options.alikeOneOf, some(alike), some(session)).chain((drawn) =>
    hasLedger(options)
      ? fc
          .tuple(authorizes, fc.tuple(...drawn.map(() => money)), booksOf(drawn.length))
          .map(([faults, moneys, books]) => ({
            sessions: drawn.map((one, index) => ({ ...one, money: moneys[index] })),
            authorizes: faults,
            books,
          }))
      : authorizes.map((faults) => ({ sessions: drawn, authorizes: faults })),
  );
}

const hasLedger = ({ ledgerStrikeOneOf }: DrawOptions): boolean => ledgerStrikeOneOf !== undefined;

const money: fc.Arbitrary<SessionPlan['money']> = fc
  .record({
    settles: fc.constantFrom('atOnce', 'atOnce', 'late'),
    returns: fc.constantFrom(undefined, undefined, undefined, ...RETURN_CODES),
  })
  .map(({ settles, returns }) => ({ settles, ...(returns !== undefined && { returns }) }));

/**
 * Draws the bookkeeper's steps. A step waits for a number of payments. Some sessions are never paid, so the last steps may come only after
 * all sessions have ended.
 */
const booksOf = (sessions: number): fc.Arbitrary<NonNullable<Plan['books']>> =>
  fc
    .array(
      fc.record({ after: fc.integer({ min: 1, max: sessions }), does: fc.constantFrom(...BOOK_STEPS) }),
      { minLength: 3, maxLength: 6, size: 'max' },
    )
    .map((steps) => steps.toSorted((one, other) => one.after - other.after));

const authorizes = fc.array(fc.constantFrom(...AUTHORIZE_FAULTS), { maxLength: 2 });

const LAST_POLL = 6;
const details = (occurrence: number): Point => ({ call: 'details', occurrence });

function sessionPlans(options: DrawOptions): fc.Arbitrary<SessionPlan> {
  const deadline = oneIn(
    options.deadlineOneOf,
    fc.record({ deadline: fc.constantFrom<PlannedDeadline>('overall', 'signature') }),
    fc.constant({}),
  );
  return fc
    .tuple(lives(options), deadline)
    .map(([life, short]): SessionPlan => ({ ...life, ...short, sharesReference: false }));
}

function lives(options: DrawOptions): fc.Arbitrary<Omit<SessionPlan, 'deadline' | 'sharesReference'>> {
  return fc.record({
    kind: fc.constantFrom('EFT', 'EFT', 'GEFT', 'e-Transfer'),
    onUnknownCreate: fc.constantFrom('retry', 'retry', 'park'),
    opens: fc.boolean(),
    hasPage: fc.boolean(),
    payor: payors,
    faults: fc
      .tuple(
        often(3, faultsOf('create', CREATE_FAULTS, 2)),
        faultsOf('details', HTTP_FAULTS, LAST_POLL),
        often(2, faultsOf('cancel', CANCEL_FAULTS, 3)),
      )
      .map((lists) => lists.flat()),
    strikes: strikesOf(options),
    acts: fc
      .tuple(fc.array(actsOf, { maxLength: 3, size: 'max' }), often(options.resetOneOf, resets))
      .map((lists) => lists.flat()),
    decision: fc.constantFrom('adopt', 'adopt', 'retry', 'abandon', 'adoptOpen', 'adoptParked'),
  });
}

type FaultPlan = SessionPlan['faults'][number];

/** Draws faults of one kind of call. Each fault hits a different one of the first `last` calls. */
export function faultsOf(
  call: Point['call'],
  faults: readonly HttpFault[],
  last: number,
): fc.Arbitrary<FaultPlan[]> {
  const one = fc.record({
    at: fc.integer({ min: 1, max: last }).map((occurrence) => ({ call, occurrence })),
    fault: fc.constantFrom(...faults),
  });
  return fc.uniqueArray(one, {
    minLength: Math.ceil(last / 2),
    maxLength: last,
    selector: ({ at }) => at.occurrence,
    size: 'max',
  });
}

/** Draws the list in one of `oneOf` cases, and otherwise an empty list. */
export const often = <T>(oneOf: number, list: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> =>
  oneIn(oneOf, list, fc.constant<T[]>([]));

/** Draws the first value in one of `oneOf` cases, and otherwise the second. */
function oneIn<T, U>(oneOf: number, one: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: oneOf - 1, arbitrary: other }, { weight: 1, arbitrary: one });
}

/**
 * Draws the payor's acts. The payor ends the session at the drawn poll. A payor who signs validates the bank account at that poll, and
 * signs four polls later.
 */
const payors: fc.Arbitrary<SessionPlan['payor']> = fc
  .tuple(
    fc.integer({ min: 3, max: LAST_POLL }),
    fc.constantFrom<PayorAct | 'signs'>(...PAYOR_ACTS.slice(3), 'completed', 'signs', 'signs'),
  )
  .map(([poll, does]) =>
    does === 'signs'
      ? [
          { at: details(1), does: 'payorStarted' },
          { at: details(poll), does: 'bankValidated' },
          { at: details(poll + 4), does: 'padSigned' },
        ]
      : [{ at: details(poll), does }],
  );

type StrikePlan = SessionPlan['strikes'][number];

/** The options for the frequency of strikes. */
type StrikeOptions = Pick<
  DrawOptions,
  | 'workerStrikeOneOf'
  | 'temporalStrikeOneOf'
  | 'rotationOneOf'
  | 'oddWorkerOneOf'
  | 'rollOutOneOf'
  | 'ledgerStrikeOneOf'
>;

/** Draws at most one strike. */
export function strikesOf(options: StrikeOptions): fc.Arbitrary<StrikePlan[]> {
  const at = fc.oneof(
    fc.constant<Point>({ call: 'create', occurrence: 1 }),
    fc.integer({ min: 1, max: 3 }).map(details),
    fc.constant<Point>({ call: 'cancel', occurrence: 1 }),
  );
  const strike = (...strikes: StrikePlan['strike'][]) =>
    fc
      .record({ at, stage: fc.constantFrom(...STAGES), strike: fc.constantFrom(...strikes) })
      .map((one) => [one]);
  const all = 100_000;
  return fc.oneof(
    {
      weight: Math.round(all / options.workerStrikeOneOf),
      arbitrary: strike('killWorker', 'killWorker', 'killWorker', 'terminateWorker', 'freezeWorker'),
    },
    { weight: Math.round(all / options.temporalStrikeOneOf), arbitrary: strike('killTemporal') },
    { weight: Math.round(all / options.rotationOneOf), arbitrary: strike('rotateKeys', 'withholdKey') },
    {
      weight: Math.round(all / options.oddWorkerOneOf),
      arbitrary: strike('wrongSecret', 'wrongSecret', 'clockForward', 'clockBack'),
    },
    {
      weight: options.rollOutOneOf === undefined ? 0 : Math.round(all / options.rollOutOneOf),
      arbitrary: strike('rollOut'),
    },
    {
      weight: options.ledgerStrikeOneOf === undefined ? 0 : Math.round(all / options.ledgerStrikeOneOf),
      arbitrary: strike('killLedger', 'killLedger', 'cutCommit'),
    },
    { weight: all, arbitrary: fc.constant<StrikePlan[]>([]) },
  );
}

const USUAL_ACTS: readonly Act[] = ACTS.filter((act) => !act.startsWith('reset'));
const QUIET_ACTS: readonly Act[] = USUAL_ACTS.filter((act) => !act.startsWith('cancel'));

type ActPlan = SessionPlan['acts'][number];

const resets: fc.Arbitrary<ActPlan[]> = fc
  .record({
    at: fc.oneof(
      fc.constant<Point>({ call: 'create', occurrence: 1 }),
      fc.integer({ min: 1, max: 3 }).map(details),
    ),
    act: fc.constantFrom<Act>('resetToStart', 'resetToNow'),
  })
  .map((one) => [one]);

const actsOf: fc.Arbitrary<ActPlan> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      at: fc.integer({ min: 1, max: LAST_POLL }).map(details),
      act: fc.constantFrom(...QUIET_ACTS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      at: fc.integer({ min: 1, max: LAST_POLL }).map(details),
      act: fc.constantFrom(...USUAL_ACTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.constant({ call: 'create', occurrence: 1 } as const),
      act: fc.constantFrom(...USUAL_ACTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ at: fc.constant('start' as const), act: fc.constantFrom(...USUAL_ACTS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ at: fc.constant('end' as const), act: fc.constantFrom(...USUAL_ACTS) }),
  },
);
