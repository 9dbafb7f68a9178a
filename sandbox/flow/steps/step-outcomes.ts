import type { SandboxSession } from '../../sessions/session';
import type { Change } from '../../sessions/session-store';
import type { SessionEvent } from '../../sessions/transitions';
import type { FlowProgress, OpenStep } from '../../sessions/flow-progress';
import { stepOf } from './steps';

/** What is wrong with a submission, by the field to correct. */
export type Problem =
  | { readonly field: 'institution'; readonly why: 'institutionMissing' }
  | { readonly field: 'username'; readonly why: 'loginMissing' | 'loginWrong' }
  | { readonly field: 'account'; readonly why: 'accountMissing' }
  | {
      readonly field: 'amount';
      readonly why: 'amountUnreadable' | 'amountOutOfBounds' | 'amountNotGuaranteed';
    }
  | { readonly field: 'agreed'; readonly why: 'agreementMissing' }
  | { readonly field: 'signature'; readonly why: 'signatureMissing' };

export type FieldName = Problem['field'];

/** What a payor sends from a step. */
export interface Submission {
  readonly action: 'continue' | 'back' | 'leave';
  /** The text of a field; empty when it is missing, or there twice. */
  field(name: FieldName | 'password'): string;
}

export interface FlowRules {
  readonly maxLoginAttempts: number;
  readonly failWithoutGuarantee: boolean;
}

/** What follows from a submission. */
export interface StepOutcome {
  readonly change: Change;
  /** Why the payor has to do the step again. */
  readonly problems: readonly Problem[];
}

/** The payor goes to a step. */
export function goTo(
  session: SandboxSession,
  step: OpenStep,
  changes: Partial<FlowProgress> = {},
  events: readonly SessionEvent[] = [{ type: 'touched' }],
): StepOutcome {
  return { change: { flow: { ...moved(session), ...changes, step }, events }, problems: [] };
}

/** The session ends, or waits for its signature. */
export function happen(session: SandboxSession, events: readonly SessionEvent[]): StepOutcome {
  return { change: { flow: moved(session), events }, problems: [] };
}

/** The payor has to do the step again. */
export function stay(session: SandboxSession, problems: readonly Problem[]): StepOutcome {
  // A signature that is awaited has no time to be touched for.
  const events = stepOf(session) === 'agreement' ? [] : [{ type: 'touched' } as const];
  return { change: { flow: moved(session), events }, problems };
}

/** Every submission uses its form up. */
const moved = ({ flow }: SandboxSession): FlowProgress => ({ ...flow, revision: flow.revision + 1 });
