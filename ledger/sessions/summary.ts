import { defined } from '../../src/contract/values/json';
import { sessionIdentity, trimmedReference } from '../../src/contract/identity';
import type { SessionRequest } from '../../src/contract/session-request';
import type { ErrorCode } from '../../src/errors';
import {
  amountOf,
  isAmountOpen,
  isClaimPaid,
  mayBePaid,
  paidAfter,
  standingClaim,
  type KnownClaim,
} from '../../src/protocol/ledger/fold';
import { searchablePart, type Metadata } from '../../src/protocol/metadata';
import type { SessionKind } from '../../src/contract/statuses';

/** A payment in the ledger, without its personal data: the summary of one claim of a key. */
export interface LedgerSession {
  /** The caller's key. */
  readonly key: string;
  /** The number of the claim among those of the key, from 1. */
  readonly claim: number;
  /** Temporal's id of the first run of the workflow that has the claim. */
  readonly firstRunId: string;
  /** `EFT`, `GEFT` or `e-Transfer`. */
  readonly kind: SessionKind;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction: Direction;
  /** The account at the payment service. */
  readonly account: string;
  /** `open`: the ledger has no end. `failed`: the workflow failed, and no longer follows a session. */
  readonly outcome: LedgerOutcome;
  /** The last status; absent if none was recorded. */
  readonly status?: string;
  /** The detail code of the last status; an e-Transfer has none. */
  readonly code?: string;
  /** The error code of a failed workflow. */
  readonly failure?: ErrorCode;
  /** Equals `paid` of the session's state: the transaction is scheduled. A regular EFT can still come back. */
  readonly paid: boolean;
  /**
   * Dollars, from the session's end, the last state with an amount, the request, or a reconciliation file, in this order. If the payor may
   * still enter or change the amount, a reconciliation file counts first. Absent if none of them has the amount.
   */
  readonly amount?: number;
  /** The currency of the amount. */
  readonly currency: string;
  /** Absent if the request has no reference, or if the policy keeps it encrypted. */
  readonly referenceId?: string;
  /** The metadata that the policy makes searchable; absent if there are none, or if they were erased. */
  readonly metadata?: Metadata;
  /** The payment service's id, a UUID in lower case; absent until the session is created. */
  readonly sessionId?: string;
  /** ISO 8601, UTC. */
  readonly claimedAt: string;
  /** ISO 8601, UTC. */
  readonly endedAt?: string;
  /** The start, in UTC, of the day on which the money arrived, from a reconciliation file. */
  readonly settledAt?: string;
  /** The start, in UTC, of the day on which the money came back. */
  readonly returnedAt?: string;
  /** The payment service's code for the reason of the return. */
  readonly returnCode?: string;
  /** The time at which a person recorded how the return was handled. Until then, the return waits for a decision. ISO 8601, UTC. */
  readonly handledAt?: string;
  /** The place where the money is. */
  readonly money: MoneyPlace;
  /** Present if the session waits for a person's decision about a create request whose outcome is unknown. */
  readonly parked?: true;
}

/** The directions of payments: money in first. */
export const DIRECTIONS = ['DEBIT', 'CREDIT'] as const satisfies readonly Direction[];
/** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
export type Direction = SessionRequest['direction'];

export const LEDGER_OUTCOMES = ['ended', 'failed', 'open'] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/**
 * The places of a payment's money, from the facts in the ledger. Each payment is in one place.
 * `open`: the session has neither ended nor been paid. `paid`: the payment is scheduled. `settled`: the money has arrived. `returned`: it came
 * back. `unpaid`: the session ended without payment. `failed`: the workflow failed.
 */
export const MONEY_PLACES = ['open', 'paid', 'settled', 'returned', 'unpaid', 'failed'] as const;
export type MoneyPlace = (typeof MONEY_PLACES)[number];

/** A summary, and its role among the summaries of its key. */
export interface ClaimSummary extends Omit<LedgerSession, 'key'> {
  /** True if the claim answers for the key. */
  readonly stands: boolean;
  /** True if lists show the payment: the claim answers for the key, or has a session of its own. */
  readonly listed: boolean;
  /** True if its money has moved or may still move. */
  readonly mayBePaid: boolean;
  /** True if money of any amount may be its money: the amount is unknown, or the payor may still change it. */
  readonly fitsAnyAmount: boolean;
  /** The time before which its money cannot have moved. ISO 8601, UTC. */
  readonly paidAfter: string;
  /** The reference without white space at its ends, as a file may write it; absent if it has none there. */
  readonly trimmedReference?: string;
  /** The salt of the hash of the metadata. */
  readonly metadataSalt?: string;
  /** The hash by which a verification recognizes the metadata. It is not a column. Absent if there are none, or if they were erased. */
  readonly metadataProof?: string;
}

/** Summarizes all claims of a key, the first claim first. Pure. */
export function summariesOf(claims: readonly KnownClaim[]): readonly ClaimSummary[] {
  const standing = standingClaim(claims);
  // An erasure is recorded with one claim of the key, and applies to all.
  const isErased = claims.some((claim) => claim.isErased);
  return claims.map((claim) => {
    const stands = claim === standing;
    const listed = stands || claim.opened !== undefined;
    const metadata = isErased ? {} : metadataOf(claim);
    return { ...summaryOf(claim), ...metadata, stands, listed, paidAfter: paidAfter(claims, claim) };
  });
}

function metadataOf({
  claimed,
}: KnownClaim): Pick<ClaimSummary, 'metadata' | 'metadataSalt' | 'metadataProof'> {
  const { metadataSalt, metadataProof } = claimed;
  if (metadataProof === undefined) return {};
  return {
    metadataProof,
    ...(metadataSalt !== undefined && { metadata: searchablePart(claimed), metadataSalt }),
  };
}

function summaryOf(claim: KnownClaim): Omit<ClaimSummary, 'stands' | 'listed' | 'paidAfter'> {
  const { claimed, ended, state, opened, settled, returned, handled, awaitsSince } = claim;
  const { sessionKind: kind, direction, account, currency, referenceId, firstRunId } = claimed;
  // Status and code come from the same fact: a code belongs to its status.
  const { status, code } = ended?.status === undefined ? { ...state } : ended;
  const moved = settled?.amount ?? returned?.amount;
  const isOpen = isAmountOpen(claim);
  const amount = isOpen ? (moved ?? amountOf(claim)) : (amountOf(claim) ?? moved);
  const isParked = awaitsSince !== undefined && ended === undefined;
  const money = { paid: isClaimPaid(claim), money: moneyPlaceOf(claim), mayBePaid: mayBePaid(claim) };
  const fitsAnyAmount = money.mayBePaid && moved === undefined && (isOpen || amount === undefined);
  const trimmed = referenceId === undefined ? undefined : trimmedReference(referenceId);
  return {
    claim: claim.number,
    firstRunId,
    kind,
    direction,
    account,
    outcome: ended === undefined ? 'open' : ended.failure === undefined ? 'ended' : 'failed',
    ...defined({ status, code, failure: ended?.failure }),
    ...money,
    fitsAnyAmount,
    ...(amount !== undefined && { amount }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    ...(trimmed !== undefined && trimmed !== referenceId && { trimmedReference: trimmed }),
    ...(opened !== undefined && { sessionId: sessionIdentity(opened.sessionId) }),
    claimedAt: claimed.at,
    ...defined({
      endedAt: ended?.at,
      settledAt: settled?.at,
      returnedAt: returned?.at,
      returnCode: returned?.code,
      handledAt: handled?.at,
    }),
    ...(isParked && { parked: true }),
  };
}

function moneyPlaceOf(claim: KnownClaim): MoneyPlace {
  const { returned, settled, ended } = claim;
  if (returned !== undefined) return 'returned';
  if (settled !== undefined) return 'settled';
  if (isClaimPaid(claim)) return 'paid';
  if (ended === undefined) return 'open';
  return ended.failure === undefined ? 'unpaid' : 'failed';
}
