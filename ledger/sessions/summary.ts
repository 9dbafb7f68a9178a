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

/**
 * A payment in the ledger, without personal data. It is the summary of one claim. A claim is the ledger's record that a key belongs to one
 * workflow.
 */
export interface LedgerSession {
  /** The caller's key. */
  readonly key: string;
  /** The number of the claim. The first claim of a key has the number 1. */
  readonly claim: number;
  /** Temporal's id of the first run of the workflow that has the claim. */
  readonly firstRunId: string;
  /** `EFT`, `GEFT` or `e-Transfer`. */
  readonly kind: SessionKind;
  /** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
  readonly direction: Direction;
  /** The account at the payment service. */
  readonly account: string;
  /** `open`: the ledger has no end of the session. `ended`: the session has ended. `failed`: the workflow failed. */
  readonly outcome: LedgerOutcome;
  /** The last status. Absent if no status was recorded. */
  readonly status?: string;
  /** The code of the last status, such as `EFT0301`. Absent for an e-Transfer. */
  readonly code?: string;
  /** The error code of a failed workflow. */
  readonly failure?: ErrorCode;
  /** True if the session is paid, as in the session's state. The transaction is then scheduled. A regular EFT can still come back. */
  readonly paid: boolean;
  /**
   * The amount in dollars. It comes from the first of these that has an amount: the session's end, the last recorded state with an amount, the
   * request, and a reconciliation file. But if the payor may still enter or change the amount, a reconciliation file comes first.
   */
  readonly amount?: number;
  /** The currency of the amount. */
  readonly currency: string;
  /** The reference of the request. Absent if there is none, or if the session's policy keeps the reference encrypted. */
  readonly referenceId?: string;
  /** The metadata that the policy makes searchable. Absent if there are none, or if they were erased. */
  readonly metadata?: Metadata;
  /** The payment service's session id, a UUID in lower case. Absent until the session is created. */
  readonly sessionId?: string;
  /** The time at which the key was claimed, shortly before the session was created. ISO 8601, UTC. */
  readonly claimedAt: string;
  /** The time at which the session ended. ISO 8601, UTC. */
  readonly endedAt?: string;
  /** The day on which the money arrived, from a reconciliation file: the start of that day in UTC. */
  readonly settledAt?: string;
  /** The day on which the money came back, from a reconciliation file: the start of that day in UTC. */
  readonly returnedAt?: string;
  /** The payment service's code that says why the money came back. */
  readonly returnCode?: string;
  /** The time at which a person recorded what was done about returned money. Absent while the return waits for that. ISO 8601, UTC. */
  readonly handledAt?: string;
  /** The place where the money is. */
  readonly money: MoneyPlace;
  /** Present if the session waits for a person's decision about a create request whose outcome is unknown. */
  readonly parked?: true;
}

/** The directions of payments. */
export const DIRECTIONS = ['DEBIT', 'CREDIT'] as const satisfies readonly Direction[];
/** `DEBIT`: money from the payor. `CREDIT`: money to the payor. */
export type Direction = SessionRequest['direction'];

export const LEDGER_OUTCOMES = ['ended', 'failed', 'open'] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/**
 * The places where a payment's money can be, according to the ledger:
 *
 * - `open`: the session has not ended and is not paid.
 * - `paid`: the payment is scheduled, and the money is on its way.
 * - `settled`: the money has arrived.
 * - `returned`: the money came back.
 * - `unpaid`: the session ended without payment.
 * - `failed`: the workflow failed.
 */
export const MONEY_PLACES = ['open', 'paid', 'settled', 'returned', 'unpaid', 'failed'] as const;
export type MoneyPlace = (typeof MONEY_PLACES)[number];

/** A row of the table of claims: the summary of a claim, and members that searches need. */
export interface ClaimSummary extends Omit<LedgerSession, 'key'> {
  /** True if the claim currently has the key. */
  readonly stands: boolean;
  /** True if lists show the payment, because the claim currently has the key or has a session of its own. */
  readonly listed: boolean;
  /** True if the payment's money has moved or may still move. */
  readonly mayBePaid: boolean;
  /** True if a line of a file with any amount may be about this payment: its amount is unknown, or the payor may still change it. */
  readonly fitsAnyAmount: boolean;
  /** The time before which the payment's money cannot have moved. ISO 8601, UTC. */
  readonly paidAfter: string;
  /** The reference without white space at its ends, as a file may have it. Absent if the reference has no such white space. */
  readonly trimmedReference?: string;
  /** The salt with which the metadata are hashed. */
  readonly metadataSalt?: string;
  /** The hash of the metadata, from the entry. It is not stored in the table. Absent if there are no metadata, or if they were erased. */
  readonly metadataProof?: string;
}

/** Returns the summaries of all claims of a key, in the order of the claims. Pure. */
export function summariesOf(claims: readonly KnownClaim[]): readonly ClaimSummary[] {
  const standing = standingClaim(claims);
  // An erasure is recorded with one claim of the key, but it applies to all claims.
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
  // Status and code must come from the same fact, because a code belongs to its status.
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
