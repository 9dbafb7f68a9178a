import fc from 'fast-check';
import {
  ACTS,
  PAYOR_ACTS,
  STAGES,
  type Act,
  type Plan,
  type PayorAct,
  type Point,
  type SessionPlan,
} from './plan';
import { AUTHORIZE_FAULTS, CANCEL_FAULTS, CREATE_FAULTS, HTTP_FAULTS, type HttpFault } from './http-faults';

/** How much is to happen. */
export interface DrawOptions {
  /** The most sessions of an episode. */
  readonly sessions: number;
  /** One session of so many strikes a worker. */
  readonly workerStrikeOneOf: number;
  /** One session of so many strikes the engine. */
  readonly engineStrikeOneOf: number;
  /** One session of so many changes the keys of workers and callers, or takes a worker its key. */
  readonly rotationOneOf: number;
  /** One session of so many has workers of another version take over. @default none */
  readonly rollOutOneOf?: number;
}

export const USUAL: DrawOptions = {
  sessions: 12,
  workerStrikeOneOf: 3,
  engineStrikeOneOf: 80,
  rotationOneOf: 250,
};

/** Nodes of a cluster are struck more often: there are more of them. */
export const ON_CLUSTER: DrawOptions = {
  ...USUAL,
  engineStrikeOneOf: 6,
  workerStrikeOneOf: 40,
  rollOutOneOf: 60,
};

/** The plan of an episode: the same for the same seed and number. */
export function drawPlan(seed: number, number: number, options: DrawOptions = USUAL): Plan {
  const [plan] = fc.sample(plans(options), { seed: seed + number * 7_919, numRuns: 1 });
  if (plan === undefined) throw new Error('fast-check drew nothing');
  return plan;
}

function plans(options: DrawOptions): fc.Arbitrary<Plan> {
  const { sessions } = options;
  return fc
    .array(sessionPlans(options), { minLength: Math.ceil(sessions / 2), maxLength: sessions, size: 'max' })
    .chain((drawn) => authorizes.map((faults) => ({ sessions: drawn, authorizes: faults })));
}

const authorizes = fc.array(fc.constantFrom(...AUTHORIZE_FAULTS), { maxLength: 2 });

const LAST_POLL = 6;
const details = (occurrence: number): Point => ({ call: 'details', occurrence });

function sessionPlans(options: DrawOptions): fc.Arbitrary<SessionPlan> {
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
    acts: fc.array(actsOf, { maxLength: 3, size: 'max' }),
    decision: fc.constantFrom('adopt', 'retry', 'abandon'),
  });
}

type FaultPlan = SessionPlan['faults'][number];

function faultsOf(
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

/** Once in `oneOf`, as drawn; otherwise nothing. */
function often<T>(oneOf: number, list: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> {
  return fc.oneof({ weight: oneOf - 1, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: list });
}

/** Ends a session in as many polls; one that waits for a signature is signed some polls later. */
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

function strikesOf(options: DrawOptions): fc.Arbitrary<StrikePlan[]> {
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
    { weight: Math.round(all / options.engineStrikeOneOf), arbitrary: strike('killEngine') },
    { weight: Math.round(all / options.rotationOneOf), arbitrary: strike('rotateKeys', 'withholdKey') },
    {
      weight: options.rollOutOneOf === undefined ? 0 : Math.round(all / options.rollOutOneOf),
      arbitrary: strike('rollOut'),
    },
    { weight: all, arbitrary: fc.constant<StrikePlan[]>([]) },
  );
}

const QUIET_ACTS: readonly Act[] = ACTS.filter((act) => !act.startsWith('cancel'));

const actsOf: fc.Arbitrary<SessionPlan['acts'][number]> = fc.oneof(
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
      act: fc.constantFrom(...ACTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.constant({ call: 'create', occurrence: 1 } as const),
      act: fc.constantFrom(...ACTS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ at: fc.constant('start' as const), act: fc.constantFrom(...ACTS) }) },
  { weight: 1, arbitrary: fc.record({ at: fc.constant('end' as const), act: fc.constantFrom(...ACTS) }) },
);
