/** What a reported state says about the money. */
import type { SessionKind } from './kinds';
import type { SessionSnapshot } from './snapshot';

/** A state of a session, as far as it is known. */
export type KnownState = { [K in 'status' | 'code' | 'unreadableCode']?: SessionSnapshot[K] | undefined };

/** A state, and the session's kind, where that is known. */
export interface KnownStateOfKind extends KnownState {
  readonly kind?: string | undefined;
}

/**
 * Whether the payor has done all that the payment needs: `Completed`/`EFT0301`, the transaction is scheduled, or `Completed` without
 * a code for e-Transfer, which has none (contract A46, A56). Every other `Completed` is not known to be paid. A regular EFT can come
 * back afterwards: the service's sessions do not tell.
 */
export function isPaid(kind: SessionKind, { status, code, unreadableCode }: KnownState): boolean {
  if (status !== 'Completed') return false;
  const needsNoCode = kind === 'e-Transfer' && code === undefined && unreadableCode !== true;
  return code === 'EFT0301' || needsNoCode;
}

/**
 * `Completed`/`EFT0302`: the bank account is validated, the PAD agreement is not signed yet (contract A56). Not of an e-Transfer,
 * which has no codes (contract A46).
 */
export function awaitsSignature({ kind, status, code }: KnownStateOfKind): boolean {
  return kind !== 'e-Transfer' && status === 'Completed' && code === 'EFT0302';
}

/** `Completed`, but with a code that is missing, cannot be read or is not known: it may or may not be paid. */
export function isUnclear(kind: SessionKind, state: KnownState): boolean {
  return state.status === 'Completed' && !awaitsSignature({ ...state, kind }) && !isPaid(kind, state);
}
