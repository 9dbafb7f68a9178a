import type { SandboxSession, FlowStep, OpenStep, FlowProgress } from '../sessions/session';
import { awaitsSignature } from '../../src/contract';
import type { SandboxConfig } from '../options';
import type { Change } from '../sessions/session-store';
import type { SessionEvent } from '../sessions/transitions';

/** The steps of an EFT, as pages count them in “Step 2 of 5”. An offer counts as part of the amount. */
const EFT_STEPS: readonly FlowStep[] = ['institution', 'login', 'account', 'amount', 'agreement'];

/** The steps of an e-Transfer. It has no PAD agreement, and its account and amount are on one page. */
const E_TRANSFER_STEPS: readonly FlowStep[] = ['institution', 'login', 'accept'];

/** The step to which “back” leads. Other steps have no way back. */
export const STEP_BEFORE: Partial<Readonly<Record<FlowStep, OpenStep>>> = {
  login: 'institution',
  amount: 'account',
  offer: 'amount',
};

/** Returns the payor's step: the agreement once the bank account is validated, even if it was validated outside the flow. */
export function stepOf(session: SandboxSession): FlowStep {
  return awaitsSignature(session.state) ? 'agreement' : session.flow.step;
}

/** True if a person plays the payor, not a scenario, and a step of the flow is still open (contract rule A63 in docs/contract.md). */
export function isInteractive({ scenario, state }: SandboxSession): boolean {
  return scenario === null && (state.status === 'Initiated' || awaitsSignature(state));
}

/** Returns the number of the payor's step, and the number of steps in all. */
export function positionOf(session: SandboxSession): { readonly step: number; readonly steps: number } {
  const shown = session.kind === 'e-Transfer' ? E_TRANSFER_STEPS : EFT_STEPS;
  const steps = session.flow.asksConsent ? ['consent' as const, ...shown] : shown;
  const step = stepOf(session);
  return { step: steps.indexOf(step === 'offer' ? 'amount' : step) + 1, steps: steps.length };
}

/** A problem of a submission, by the field to correct. */
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

/** The form that a payor sends from a step. */
export interface Submission {
  readonly action: 'continue' | 'back' | 'leave';
  /** Returns the text of a field; empty if the field is missing, repeated or too long. */
  field(name: FieldName | 'password'): string;
}

export type FlowRules = Pick<SandboxConfig, 'maxLoginAttempts' | 'failWithoutGuarantee'>;

/** The outcome of a submission. */
export interface StepOutcome {
  readonly change: Change;
  /** Reasons why the payor has to repeat the step. */
  readonly problems: readonly Problem[];
}

/** Moves the payor to a step. */
export function goTo(
  session: SandboxSession,
  step: OpenStep,
  changes: Partial<FlowProgress> = {},
  events: readonly SessionEvent[] = [{ type: 'touched' }],
): StepOutcome {
  return { change: { flow: { ...moved(session), ...changes, step }, events }, problems: [] };
}

/** Ends the session, or makes it wait for its signature. */
export function applyEvents(session: SandboxSession, events: readonly SessionEvent[]): StepOutcome {
  return { change: { flow: moved(session), events }, problems: [] };
}

/** Leaves the payor at the step, to repeat it or to come back to it later. */
export function stay(session: SandboxSession, problems: readonly Problem[]): StepOutcome {
  // `touched` postpones the expiry. A session that awaits its signature does not expire, and refuses `touched`.
  const events = stepOf(session) === 'agreement' ? [] : [{ type: 'touched' } as const];
  return { change: { flow: moved(session), events }, problems };
}

/** Returns the progress with the next revision, so that the submitted form is used up. */
const moved = ({ flow }: SandboxSession): FlowProgress => ({ ...flow, revision: flow.revision + 1 });
