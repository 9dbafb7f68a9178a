import fc from 'fast-check';
import { faultsOf, often, strikesOf } from './draw';
import { CREATE_FAULTS } from './http-faults';
import type { KeyPlan, KeysPlan, KeyStep, Moment } from './plan';

/** How much is to happen. */
export interface DrawKeysOptions {
  /** The most keys of an episode. */
  readonly keys: number;
  /** The most steps, but for copies and restores. */
  readonly steps: number;
  /** The most restores of either server. */
  readonly restores: number;
}

const USUAL: DrawKeysOptions = { keys: 8, steps: 60, restores: 3 };

/** The plan of an episode of some keys: the same for the same seed and number. */
export function drawKeysPlan(seed: number, number: number, options = USUAL): KeysPlan {
  const [plan] = fc.sample(plans(options), { seed: seed + number * 4_001, numRuns: 1 });
  if (plan === undefined) throw new Error('fast-check drew nothing');
  return plan;
}

type Step = KeysPlan['steps'][number];

/** How often each step is drawn. A restore comes with its copy. */
const WEIGHTS: Readonly<Partial<Record<KeyStep, number>>> = {
  start: 10,
  startOther: 2,
  startAndCancel: 3,
  cancel: 1,
  pay: 6,
  fail: 1,
  terminate: 3,
  drop: 5,
  adopt: 2,
  adoptOther: 2,
  retry: 2,
  abandon: 1,
  sweep: 2,
};

const keyPlans: fc.Arbitrary<KeyPlan> = fc.record({
  onUnknownCreate: fc.constantFrom('retry', 'park'),
  faults: often(2, faultsOf('create', CREATE_FAULTS, 3)),
  strikes: strikesOf({
    workerStrikeOneOf: 3,
    engineStrikeOneOf: 12,
    ledgerStrikeOneOf: 3,
    rotationOneOf: Infinity,
    oddWorkerOneOf: Infinity,
  }),
});

const moments = fc.constantFrom<Moment>('now', 'now', 'now', 'soon', 'sent', 'open', 'over');

function plans({ keys, steps, restores }: DrawKeysOptions): fc.Arbitrary<KeysPlan> {
  return fc
    .array(keyPlans, { minLength: Math.ceil(keys / 2), maxLength: keys, size: 'max' })
    .chain((drawn) => {
      const key = fc.nat(drawn.length - 1);
      const does = fc.oneof(
        ...Object.entries(WEIGHTS).map(([step, weight]) => ({
          weight,
          arbitrary: fc.constant(step as KeyStep),
        })),
      );
      const step = fc.record({ key, when: moments, does });
      const list = fc.array(step, { minLength: Math.ceil(steps / 2), maxLength: steps, size: 'max' });
      const restore = fc.record({
        server: fc.constantFrom('Ledger', 'Temporal'),
        key,
        when: moments,
        places,
      });
      return fc
        .tuple(list, fc.array(restore, { maxLength: restores, size: 'max' }))
        .map(([some, theirs]): KeysPlan => {
          const starts = drawn.map((_, own): Step => ({ key: own, when: 'now', does: 'start' }));
          return { keys: drawn, steps: theirs.reduce(withRestore, [...starts, ...some]) };
        });
    });
}

/** Where in a list the copy is taken, and where it is put back: hundredths of its length. */
const places = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));

interface Restore extends Omit<Step, 'does'> {
  readonly server: 'Ledger' | 'Temporal';
  readonly places: readonly [number, number];
}

/** Adds a restore behind its copy. */
function withRestore(steps: readonly Step[], { server, places: [one, other], ...restore }: Restore): Step[] {
  const placeOf = (share: number) => Math.floor((share * steps.length) / 100);
  const copyAt = placeOf(Math.min(one, other));
  const copy: Step = { ...restore, when: 'now', does: `copy${server}` };
  return steps
    .toSpliced(placeOf(Math.max(one, other)), 0, { ...restore, does: `restore${server}` })
    .toSpliced(copyAt, 0, copy);
}
