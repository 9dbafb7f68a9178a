import {
  awaitsSignature,
  decimalPlaces,
  MINIMUM_AMOUNT,
  type SessionKind,
  type SessionStatus,
} from '../../src/contract';
import type { BankAccount } from '../clients';

/** The progress of a session, which the details show as `step` (contract rule A51 in docs/contract.md). */
export type SessionStep =
  | 'Created'
  | 'Started'
  | 'AccountChosen'
  | 'AmountEntered'
  | 'AwaitingSignature'
  | 'Ended';

/** Bounds of a session's amount, in dollars, inclusive (contract A14). */
export interface AmountBounds {
  /** The smallest amount allowed, in dollars. */
  readonly minimumAmount: number;
  /** The largest amount allowed, in dollars. */
  readonly maximumAmount: number;
}

/** The part of a session that events change. */
export interface SandboxSessionState {
  /** The kind of session. */
  readonly kind: SessionKind;
  /** The status that the service reports. */
  readonly status: SessionStatus;
  /** Detail code of an EFT session, guaranteed or not; e-Transfers have none (contract A46). */
  readonly code?: string;
  /** Dollars; `null` until it is preset or entered (contract A50). */
  readonly amount: number | null;
  /** True if the payor may enter or change the amount (contract A16, A40). */
  readonly amountOpen: boolean;
  /** The bounds of the amount, in dollars, without parts of a cent. */
  readonly bounds: AmountBounds;
  /** The progress of the session. */
  readonly step: SessionStep;
  /** True if the payor's bank account is known (contract A51). */
  readonly accountCaptured: boolean;
  /** The account that the payor chose; absent if the payor chose none, as in a scenario. */
  readonly account?: BankAccount;
  /** The time of the creation, in milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The time of the last accepted event, or else of the creation, in milliseconds since 1970. */
  readonly touchedAtMs: number;
  /** The time at which the session got its present status and code, in milliseconds since 1970. Absent while the session is `Initiated`. */
  readonly endedAtMs?: number;
}

/** Events without further data. `touched` is any other activity of the payor. */
export const PLAIN_EVENTS = [
  'payorStarted',
  'touched',
  'loginFailed',
  'identityFailed',
  'insufficientFunds',
  'noGuarantee',
  'bankValidated',
  'padSigned',
  'completed',
  'expired',
] as const;

/** An event without further data. */
export type PlainEvent = (typeof PLAIN_EVENTS)[number];

/** An event of a session. */
export type SessionEvent =
  | { readonly type: PlainEvent }
  | { readonly type: 'accountChosen'; readonly account: BankAccount }
  | { readonly type: 'amountEntered'; readonly amount: number }
  /** `evenUnsigned`: true to cancel a session that awaits its signature, too. */
  | { readonly type: 'cancelled'; readonly evenUnsigned: boolean };

/** The reason why an event changes nothing. */
export type EventRefusal =
  | 'ended'
  | 'wrongKind'
  | 'amountMissing'
  | 'amountFixed'
  | 'amountOutOfBounds'
  | 'bankNotValidated';

export type Transition =
  | { readonly accepted: true; readonly state: SandboxSessionState }
  | { readonly accepted: false; readonly reason: EventRefusal };

/** True if the session cannot change any more. A session that awaits its signature is Completed, but can still change (contract A56). */
export function isOver(state: SandboxSessionState): boolean {
  return state.status !== 'Initiated' && !awaitsSignature(state);
}

/**
 * Applies an event: the session's whole state machine (contract A54–A58). If a cancellation and a completion compete, the first one wins.
 */
export function transition(state: SandboxSessionState, event: SessionEvent, nowMs: number): Transition {
  if (state.status !== 'Initiated') return afterCompletion(state, event, nowMs);
  switch (event.type) {
    case 'payorStarted':
      return moved(state, nowMs, state.step === 'Created' ? { step: 'Started' } : {});
    case 'touched':
      return moved(state, nowMs, {});
    case 'accountChosen':
      return moved(captured(state), nowMs, { account: event.account, step: 'AccountChosen' });
    case 'amountEntered':
      return enterAmount(state, event.amount, nowMs);
    case 'loginFailed':
      return ended(state, nowMs, { status: 'Failed', code: 'EFT0401' });
    case 'identityFailed':
      return ended(captured(state), nowMs, { status: 'Failed', code: 'EFT0403' });
    case 'insufficientFunds':
      return ended(captured(state), nowMs, { status: 'Failed', code: 'EFT0404' });
    case 'noGuarantee':
      if (state.kind === 'EFT') return refused('wrongKind');
      return ended(captured(state), nowMs, { status: 'Failed', code: 'EFT0402' });
    case 'bankValidated':
      if (state.kind === 'e-Transfer') return refused('wrongKind');
      return completed(state, nowMs, 'EFT0302');
    case 'padSigned':
      return refused(state.kind === 'e-Transfer' ? 'wrongKind' : 'bankNotValidated');
    case 'completed':
      return completed(state, nowMs, 'EFT0301');
    case 'cancelled':
      return ended(state, nowMs, { status: 'Cancelled', code: 'EFT0501' });
    case 'expired':
      return ended(state, nowMs, { status: 'Expired', code: 'EFT0601' });
  }
}

/**
 * Applies an event to a session that has left `Initiated`. Only a session that awaits its signature can still change. The payor can sign,
 * and the merchant can cancel if the options of the sandbox allow it (contract A55).
 */
function afterCompletion(state: SandboxSessionState, event: SessionEvent, nowMs: number): Transition {
  if (!awaitsSignature(state)) return refused('ended');
  if (event.type === 'padSigned') return completed(state, nowMs, 'EFT0301');
  if (event.type === 'cancelled' && event.evenUnsigned) {
    return ended(state, nowMs, { status: 'Cancelled', code: 'EFT0501' });
  }
  return refused('ended');
}

/** True if the amount is valid and within the bounds (contract A13, A14). */
export function isWithinBounds(amount: number, { minimumAmount, maximumAmount }: AmountBounds): boolean {
  const fits = amount >= Math.max(MINIMUM_AMOUNT, minimumAmount) && amount <= maximumAmount;
  return fits && decimalPlaces(amount) <= 2;
}

function enterAmount(state: SandboxSessionState, amount: number, nowMs: number): Transition {
  if (!state.amountOpen) return refused('amountFixed');
  if (!isWithinBounds(amount, state.bounds)) return refused('amountOutOfBounds');
  return moved(state, nowMs, { amount, step: 'AmountEntered' });
}

function completed(state: SandboxSessionState, nowMs: number, code: 'EFT0301' | 'EFT0302'): Transition {
  if (state.amount === null) return refused('amountMissing');
  return ended(captured(state), nowMs, { status: 'Completed', code });
}

interface Outcome {
  readonly status: SessionStatus;
  readonly code: string;
}

function ended(state: SandboxSessionState, nowMs: number, { status, code }: Outcome): Transition {
  return moved(state, nowMs, {
    status,
    ...(state.kind !== 'e-Transfer' && { code }),
    step: code === 'EFT0302' ? 'AwaitingSignature' : 'Ended',
    endedAtMs: nowMs,
  });
}

const captured = (state: SandboxSessionState): SandboxSessionState => ({ ...state, accountCaptured: true });

function moved(state: SandboxSessionState, nowMs: number, changes: Partial<SandboxSessionState>): Transition {
  return { accepted: true, state: { ...state, ...changes, touchedAtMs: nowMs } };
}

const refused = (reason: EventRefusal): Transition => ({ accepted: false, reason });
