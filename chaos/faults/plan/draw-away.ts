import fc from 'fast-check';
import { DEADLINES, type Plan, type Point, type SessionPlan } from './plan';

/** The length of a long outage. It is longer than a deadline and the minute after the deadline. */
export const LONG_AWAY_SECONDS = 80;
/** The length of a short outage. It is still longer than a deadline. */
export const SHORT_AWAY_SECONDS = 25;

export interface DrawAwayOptions {
  /** The maximum number of sessions in the episode. */
  readonly sessions: number;
  /** The length of the outage of the workers or the Temporal server. */
  readonly seconds: number;
  /** True if other campaigns use the Temporal server. Then only the workers stop, and the server keeps running. @default false */
  readonly isTemporalShared?: boolean;
}

/**
 * Draws the plan of an episode with an outage, during which the deadlines of sessions pass. The same seed and number draw the same plan.
 */
export function drawAwayPlan(seed: number, number: number, options: DrawAwayOptions): Plan {
  const [plan] = fc.sample(plans(options), { seed: seed + number * 6_007, numRuns: 1 });
  if (plan === undefined) throw new Error('fast-check drew nothing');
  return plan;
}

function plans({ sessions, seconds, isTemporalShared = false }: DrawAwayOptions): fc.Arbitrary<Plan> {
  const who = isTemporalShared ? (['workers'] as const) : (['workers', 'temporal'] as const);
  return fc.record({
    sessions: fc.array(sessionPlan, { minLength: Math.ceil(sessions / 2), maxLength: sessions, size: 'max' }),
    authorizes: fc.constant([]),
    away: fc.record({ who: fc.constantFrom(...who), seconds: fc.constant(seconds) }),
  });
}

const details = (occurrence: number): Point => ({ call: 'details', occurrence });
const POLLS = Array.from({ length: 12 }, (_, index) => index + 1);

/** The events of a session before and during the outage. */
type Fortune = Pick<SessionPlan, 'payor' | 'faults'> & { readonly deadline?: SessionPlan['deadline'] };

const completes: SessionPlan['payor'] = [{ at: 'away', does: 'completed' }];
const fails: SessionPlan['payor'] = [{ at: 'away', does: 'loginFailed' }];
const validated: SessionPlan['payor'] = [{ at: details(1), does: 'bankValidated' }];
const signs: SessionPlan['payor'] = [{ at: 'away', does: 'padSigned' }];

function fortuneOf(deadline: SessionPlan['deadline'], acts: boolean, does: SessionPlan['payor']): Fortune {
  switch (deadline) {
    case undefined:
      return { payor: does, faults: [] };
    case 'overall':
      return { deadline, payor: acts ? does : [], faults: [] };
    case 'signature':
      return { deadline, payor: acts ? [...validated, ...signs] : validated, faults: [] };
    case 'unclear':
      return {
        deadline,
        payor: [{ at: details(1), does: 'completed' }],
        faults: POLLS.map((poll) => ({ at: details(poll), fault: 'missingCode' })),
      };
  }
}

const sessionPlan: fc.Arbitrary<SessionPlan> = fc
  .record({
    deadline: fc.constantFrom(undefined, ...DEADLINES, ...DEADLINES),
    kind: fc.constantFrom('EFT', 'GEFT', 'e-Transfer'),
    acts: fc.boolean(),
    does: fc.constantFrom(completes, completes, fails),
  })
  .map(({ deadline, kind, acts, does }): SessionPlan => {
    // An e-Transfer has no codes and no signature.
    const isOfEft = deadline === 'signature' || deadline === 'unclear';
    return {
      kind: isOfEft && kind === 'e-Transfer' ? 'EFT' : kind,
      onUnknownCreate: 'retry',
      opens: true,
      hasPage: false,
      sharesReference: false,
      strikes: [],
      acts: [],
      decision: 'retry',
      ...fortuneOf(deadline, acts, does),
    };
  });
