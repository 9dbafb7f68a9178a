import fc from 'fast-check';
import { HOWS, type How } from './gates';
import { NAMINGS, type Naming } from './files';
import { PAYOR_ACTS, type PayorAct } from './simulated-service';

/**
 * One operation of a history. A number such as `pick` chooses one of the objects that exist at that time, such as sessions. If there is
 * no such object, nothing happens.
 */
export type Operation =
  /** A caller starts a session, or attaches to the one that has the key. */
  | {
      readonly do: 'start';
      readonly environment: number;
      readonly key: number;
      readonly request: number;
      readonly parks: boolean;
    }
  /** A caller starts a session, and all work goes on without faults until the session is open. */
  | {
      readonly do: 'open';
      readonly environment: number;
      readonly key: number;
      readonly request: number;
      readonly parks: boolean;
    }
  /** A caller starts a session. Its create activity passes `steps` gates, and the next step has the outcome `how`. */
  | {
      readonly do: 'begin';
      readonly environment: number;
      readonly key: number;
      readonly request: number;
      readonly parks: boolean;
      readonly steps: number;
      readonly how: How;
      readonly worker: number;
    }
  /** A payor pays. If `isPaidOut`, the money also arrives. Then the workflow polls and sees the payment. */
  | { readonly do: 'pay'; readonly pick: number; readonly isPaidOut: boolean }
  /** A worker takes an activity, or continues an activity to its next gate. */
  | { readonly do: 'step'; readonly pick: number; readonly how: How; readonly worker: number }
  /** All work of one environment goes on without faults until only waits are left. */
  | { readonly do: 'calm'; readonly environment: number }
  /** The Temporal server considers the worker of an activity lost. The worker may continue. */
  | { readonly do: 'lose'; readonly pick: number }
  /** The next workflow task is lost after its calls to the ledger were made, and is repeated. */
  | { readonly do: 'loseStep'; readonly environment: number }
  | { readonly do: 'payor'; readonly pick: number; readonly act: PayorAct }
  | { readonly do: 'cancel'; readonly pick: number }
  /** A person decides about a parked session. */
  | {
      readonly do: 'resolve';
      readonly pick: number;
      readonly decision: 'retry' | 'abandon' | 'adopt';
      readonly session: number;
    }
  | { readonly do: 'reset'; readonly pick: number; readonly to: number }
  | { readonly do: 'terminate'; readonly pick: number }
  /** Temporal drops an ended run, as after the retention time. */
  | { readonly do: 'forget'; readonly pick: number }
  /** A workflow is terminated, and Temporal drops it. */
  | { readonly do: 'vanish'; readonly pick: number }
  | { readonly do: 'sweep'; readonly environment: number }
  | { readonly do: 'backUp'; readonly what: 'ledger' | 'temporal'; readonly environment: number }
  /** The ledger or Temporal is restored to a backup. The first backup is empty. */
  | {
      readonly do: 'restore';
      readonly what: 'ledger' | 'temporal';
      readonly environment: number;
      readonly which: number;
    }
  | { readonly do: 'away'; readonly isAway: boolean }
  /** Workers get a ledger. Before the first claim, they may also lose it again. */
  | { readonly do: 'switch'; readonly hasLedger: boolean }
  | { readonly do: 'wait'; readonly hours: number }
  /** The money of a payment arrives, or comes back if it has arrived. */
  | { readonly do: 'move'; readonly pick: number }
  /** The payment service delivers a reconciliation file with some of its lines so far. */
  | {
      readonly do: 'deliver';
      readonly environment: number;
      readonly first: number;
      readonly count: number;
      readonly by: Naming;
      readonly isReversed: boolean;
    }
  /** Webhooks are sent. */
  | { readonly do: 'send'; readonly environment: number };

const number = fc.nat({ max: 5 });
const environment = fc.constantFrom(0, 0, 0, 1);
const pick = fc.nat({ max: 7 });
const of = (name: Operation['do'], members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ do: fc.constant(name), ...members }) as unknown as fc.Arbitrary<Operation>;

const started = {
  environment,
  key: fc.constantFrom(0, 0, 0, 1, 1, 2),
  request: fc.constantFrom(0, 0, 0, 0, 0, 1),
  parks: fc.boolean(),
};
const step = of('step', {
  pick: number,
  how: fc.constantFrom<How>('ok', 'ok', 'ok', ...HOWS),
  worker: fc.nat({ max: 1 }),
});

/** Generates one operation. Operations that advance a history are more frequent. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: of('start', started) },
  { weight: 8, arbitrary: of('open', started) },
  {
    weight: 8,
    arbitrary: of('begin', {
      ...started,
      steps: fc.nat({ max: 4 }),
      how: fc.constantFrom<How>('ok', 'lost', 'lost', 'away', 'refused'),
      worker: fc.nat({ max: 1 }),
    }),
  },
  { weight: 5, arbitrary: of('pay', { pick, isPaidOut: fc.boolean() }) },
  { weight: 16, arbitrary: step },
  { weight: 8, arbitrary: of('calm', { environment }) },
  { weight: 2, arbitrary: of('lose', { pick }) },
  { weight: 2, arbitrary: of('loseStep', { environment }) },
  { weight: 6, arbitrary: of('payor', { pick, act: fc.constantFrom<PayorAct>('pays', ...PAYOR_ACTS) }) },
  { weight: 3, arbitrary: of('cancel', { pick }) },
  {
    weight: 7,
    arbitrary: of('resolve', {
      pick,
      decision: fc.constantFrom('retry', 'abandon', 'adopt', 'adopt'),
      session: pick,
    }),
  },
  { weight: 2, arbitrary: of('reset', { pick, to: number }) },
  { weight: 2, arbitrary: of('terminate', { pick }) },
  { weight: 4, arbitrary: of('forget', { pick }) },
  { weight: 3, arbitrary: of('vanish', { pick }) },
  { weight: 4, arbitrary: of('sweep', { environment }) },
  { weight: 3, arbitrary: of('backUp', { what: fc.constantFrom('ledger', 'temporal'), environment }) },
  {
    weight: 3,
    arbitrary: of('restore', {
      what: fc.constantFrom('ledger', 'temporal'),
      environment,
      which: fc.constantFrom(0, 1, 1, 2, 2, 3, 4, 5),
    }),
  },
  { weight: 3, arbitrary: of('away', { isAway: fc.boolean() }) },
  { weight: 1, arbitrary: of('switch', { hasLedger: fc.boolean() }) },
  { weight: 2, arbitrary: of('wait', { hours: fc.constantFrom(1, 26, 26, 200) }) },
  { weight: 4, arbitrary: of('move', { pick }) },
  {
    weight: 7,
    arbitrary: of('deliver', {
      environment,
      first: number,
      count: fc.integer({ min: 1, max: 6 }),
      by: fc.constantFrom(...NAMINGS),
      isReversed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: of('send', { environment }) },
);

const MOST_OPERATIONS = 60;

/** Generates histories. Half of them have no restores, because fewer rules apply after a restore. */
export const history: fc.Arbitrary<readonly Operation[]> = fc
  .tuple(fc.boolean(), fc.noBias(fc.array(operation, { maxLength: MOST_OPERATIONS, size: 'max' })))
  .map(([hasRestores, operations]) => operations.filter((one) => hasRestores || one.do !== 'restore'));

/** Returns an operation as text, for the report of a failing history. */
export function textOf({ do: name, ...members }: Operation): string {
  const told = Object.entries(members).map(([member, value]) => `${member} ${String(value)}`);
  return [name, told.join(', ')].filter(Boolean).join(': ');
}
