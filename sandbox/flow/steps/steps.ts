import type { SandboxSession } from '../../sessions/session';
import { awaitsSignature } from '../../../src/contract';
import type { FlowStep, OpenStep } from '../../sessions/flow-progress';

/** The steps that count in “step 2 of 5”, in order; an offer is part of the amount. */
const EFT_STEPS: readonly FlowStep[] = ['institution', 'login', 'account', 'amount', 'agreement'];

/** An e-Transfer has no PAD agreement, and its account and amount are on one page. */
const E_TRANSFER_STEPS: readonly FlowStep[] = ['institution', 'login', 'accept'];

/** Where “back” leads; a step that is not here has no way back. */
export const STEP_BEFORE: Partial<Readonly<Record<FlowStep, OpenStep>>> = {
  login: 'institution',
  amount: 'account',
  offer: 'amount',
};

/** Where the payor is. A validated bank account waits for the agreement's signature, whoever validated it. */
export function stepOf(session: SandboxSession): FlowStep {
  return awaitsSignature(session.state) ? 'agreement' : session.flow.step;
}

/** Whether a person goes through the flow, and there is something to do in it (contract A63). */
export function isInteractive({ scenario, state }: SandboxSession): boolean {
  return scenario === null && (state.status === 'Initiated' || awaitsSignature(state));
}

/** The number of the payor's step, and of all. */
export function positionOf(session: SandboxSession): { readonly step: number; readonly steps: number } {
  const shown = session.kind === 'e-Transfer' ? E_TRANSFER_STEPS : EFT_STEPS;
  const steps = session.flow.asksConsent ? ['consent' as const, ...shown] : shown;
  const step = stepOf(session);
  return { step: steps.indexOf(step === 'offer' ? 'amount' : step) + 1, steps: steps.length };
}
