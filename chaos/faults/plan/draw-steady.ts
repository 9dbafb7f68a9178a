import fc from 'fast-check';
import type { Plan, Point, SessionPlan } from './plan';

/**
 * Draws the plan of a single session without faults. A campaign starts such sessions at a steady rate while the ledger is down for some
 * minutes. The same seed and number draw the same plan.
 */
export function drawSteadyPlan(seed: number, number: number): Plan {
  const [session] = fc.sample(sessions, { seed: seed + number * 5_003, numRuns: 1 });
  if (session === undefined) throw new Error('fast-check drew nothing');
  return { sessions: [session], authorizes: [] };
}

const details = (occurrence: number): Point => ({ call: 'details', occurrence });
/** About the number of polls in twenty seconds. */
const LAST_POLL = 40;

const sessions: fc.Arbitrary<SessionPlan> = fc
  .record({
    kind: fc.constantFrom<SessionPlan['kind']>('EFT', 'GEFT', 'e-Transfer'),
    opens: fc.boolean(),
    poll: fc.integer({ min: 2, max: LAST_POLL }),
    does: fc.constantFrom('completed' as const, 'completed' as const, 'loginFailed' as const),
    isCancelled: fc.integer({ min: 1, max: 5 }).map((one) => one === 1),
  })
  .map(({ kind, opens, poll, does, isCancelled }): SessionPlan => ({
    kind,
    opens,
    onUnknownCreate: 'retry',
    hasPage: false,
    sharesReference: false,
    payor: isCancelled ? [] : [{ at: details(poll), does }],
    faults: [],
    strikes: [],
    acts: isCancelled ? [{ at: details(poll), act: 'cancelByUpdate' }] : [],
    decision: 'retry',
  }));
