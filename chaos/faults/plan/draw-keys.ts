import fc from 'fast-check';
import { faultsOf, often, strikesOf } from './draw';
import { CREATE_FAULTS } from './http-faults';
import type { KeyPlan, KeysPlan, KeyStep, Moment } from './plan';

/** Limits on the number of keys and events in a plan of keys. */
export interface DrawKeysOptions {
  /** The maximum number of keys in an episode. */
  readonly keys: number;
  /** The maximum number of scenes of a key. A scene is a short sequence of steps. */
  readonly scenes: number;
  /** The maximum number of restores (a server is started with an older copy of its data), for both servers together. */
  readonly restores: number;
}

const USUAL: DrawKeysOptions = { keys: 8, scenes: 6, restores: 4 };

/** Draws the plan of an episode of keys. The same seed and number draw the same plan. */
export function drawKeysPlan(seed: number, number: number, options = USUAL): KeysPlan {
  const [plan] = fc.sample(plans(options), { seed: seed + number * 4_001, numRuns: 1 });
  if (plan === undefined) throw new Error('fast-check drew nothing');
  return plan;
}

type Step = KeysPlan['steps'][number];
/** A step, and its possible moments. */
type Taken = readonly [KeyStep, ...Moment[]];

const SWEPT: readonly (readonly Taken[])[] = [[], [['sweep', 'now', 'soon']]];
const START: Taken = ['start', 'now', 'soon'];
const START_OTHER: Taken = ['startOther', 'now', 'soon'];
const DROP: Taken = ['drop', 'now', 'soon', 'over'];

/** The scenes. Each is a sequence of steps of one key. Steps of other keys may come in between. */
const SCENES: readonly (readonly Taken[])[] = [
  [START],
  [START],
  [['pay', 'now', 'sent', 'open', 'open']],
  [['pay', 'now', 'sent', 'open', 'open']],
  [['fail', 'open']],
  [['cancel', 'now', 'sent', 'open']],
  [['startAndCancel', 'now']],
  [
    ['startAndCancel', 'now'],
    ['startOther', 'over'],
  ],
  [START_OTHER],
  [DROP],
  ...SWEPT.flatMap((sweep) => [
    // The key's workflow is terminated, and Temporal drops it.
    [['terminate', 'now', 'sent', 'open'] as Taken, ...sweep, DROP, START],
    [['terminate', 'sent', 'open'] as Taken, ...sweep, DROP, START_OTHER],
    // The key's workflow ends, and Temporal drops it.
    [['pay', 'open'] as Taken, ['sweep', 'over'] as Taken, ...sweep, DROP, START],
    [['pay', 'sent', 'open'] as Taken, ...sweep, ['drop', 'over'] as Taken, START_OTHER, START],
  ]),
  [['adopt', 'soon', 'sent']],
  [['adoptOther', 'soon', 'sent']],
  [['retry', 'soon', 'sent']],
  [['abandon', 'soon', 'sent'], START],
  [['sweep', 'now']],
  [['file', 'now', 'soon', 'sent', 'open', 'over']],
  [
    ['pay', 'open'],
    ['file', 'now', 'soon', 'over'],
  ],
];

const scenes: fc.Arbitrary<readonly Omit<Step, 'key'>[]> = fc
  .constantFrom(...SCENES)
  .chain((scene) => fc.tuple(...scene.map(stepOf)));

const stepOf = ([does, ...moments]: Taken): fc.Arbitrary<Omit<Step, 'key'>> =>
  fc.record({ when: fc.constantFrom(...moments), does: fc.constant(does) });

const keyPlans: fc.Arbitrary<KeyPlan> = fc.record({
  onUnknownCreate: fc.constantFrom('retry', 'park'),
  faults: often(2, faultsOf('create', CREATE_FAULTS, 3)),
  strikes: strikesOf({
    workerStrikeOneOf: 3,
    temporalStrikeOneOf: 12,
    ledgerStrikeOneOf: 3,
    rotationOneOf: Infinity,
    oddWorkerOneOf: Infinity,
  }),
});

/** A position in a list, in hundredths of its length. */
const share = fc.integer({ min: 0, max: 99 });

function plans({ keys, scenes: most, restores }: DrawKeysOptions): fc.Arbitrary<KeysPlan> {
  const life = fc.record({
    plan: keyPlans,
    steps: fc
      .array(scenes, { minLength: Math.ceil(most / 2), maxLength: most, size: 'max' })
      .map((own) => [{ when: 'now', does: 'start' } as const, ...own.flat()]),
  });
  const lives = fc.array(life, { minLength: Math.ceil(keys / 2), maxLength: keys, size: 'max' });
  const restore = fc.record({
    server: fc.constantFrom('Ledger', 'Temporal'),
    when: fc.constantFrom<Moment>('now', 'soon', 'sent', 'open'),
    key: share,
    places: fc.tuple(share, share),
  });
  return lives.chain((drawn) => {
    const length = drawn.reduce((sum, { steps }) => sum + steps.length, 0);
    return fc
      .tuple(
        fc.array(share, { minLength: length, maxLength: length, size: 'max' }),
        fc.array(restore, { maxLength: restores, size: 'max' }),
      )
      .map(([picks, theirs]): KeysPlan => ({
        keys: drawn.map(({ plan }) => plan),
        steps: theirs.reduce(
          withRestore,
          interleaved(
            drawn.map(({ steps }) => steps),
            picks,
          ),
        ),
      }));
  });
}

/** Returns the steps of all keys in one list. Each pick chooses a key that still has steps, and takes this key's next step. */
function interleaved(lives: readonly (readonly Omit<Step, 'key'>[])[], picks: readonly number[]): Step[] {
  const left = lives.map((steps, key) => steps.map((step): Step => ({ key, ...step })));
  return picks.flatMap((pick) => {
    const waiting = left.filter(({ length }) => length > 0);
    return waiting[Math.floor((pick * waiting.length) / 100)]?.shift() ?? [];
  });
}

interface Restore {
  readonly server: 'Ledger' | 'Temporal';
  readonly when: Moment;
  /**
   * Positions in the list of steps, in hundredths of its length. `key` is the position of a step whose key the new steps get. `places` are
   * the positions of the copy and of its restore.
   */
  readonly key: number;
  readonly places: readonly [number, number];
}

/** Adds the step that copies a server's data, and after it the step that restores the copy. */
function withRestore(steps: readonly Step[], { server, when, key, places: [one, other] }: Restore): Step[] {
  const placeOf = (part: number) => Math.floor((part * steps.length) / 100);
  const at = steps[placeOf(key)]?.key ?? 0;
  return steps
    .toSpliced(placeOf(Math.max(one, other)), 0, { key: at, when, does: `restore${server}` })
    .toSpliced(placeOf(Math.min(one, other)), 0, { key: at, when: 'now', does: `copy${server}` });
}
