import { sessionIdentity, trimmedReference } from '../../src/contract/identity';
import type { SessionRequest } from '../../src/contract/session-request';
import type { ErrorCode } from '../../src/errors';
import {
  amountOf,
  isClaimPaid,
  mayBePaid,
  paidAfter,
  standingClaim,
  type KnownClaim,
} from '../../src/protocol/ledger/known-claim';
import type { SessionKind } from '../../src/contract/statuses';

/** What the ledger tells of a payment without its personal data: the summary of one claim of a key. */
export interface LedgerSession {
  readonly key: string;
  /** Which claim of the key it is, counted from 1. */
  readonly claim: number;
  /** Temporal's id of the first run of the workflow whose claim it is. */
  readonly firstRunId: string;
  readonly kind: SessionKind;
  /** `DEBIT`: money from the payor. `CREDIT`: money to them. */
  readonly direction: Direction;
  readonly account: string;
  /** `open`: no end stands in the ledger. `failed`: the workflow failed, and no session is followed. */
  readonly outcome: LedgerOutcome;
  /** The last status; absent until the session is created. */
  readonly status?: string;
  readonly code?: string;
  /** Why the workflow failed. */
  readonly failure?: ErrorCode;
  /** As `paid` of the session's state: the transaction is scheduled; a regular EFT can still come back. */
  readonly paid: boolean;
  /**
   * Dollars: how the session ended, or what a state reported last, or else what the request asks for, or a reconciliation file says. Absent
   * where none of them knows.
   */
  readonly amount?: number;
  readonly currency: string;
  /** Absent where there is none, or where the policy keeps it encrypted. */
  readonly referenceId?: string;
  /** The payment service's id, a UUID in lower case; absent until the session is created. */
  readonly sessionId?: string;
  /** ISO 8601, UTC. */
  readonly claimedAt: string;
  /** ISO 8601, UTC. */
  readonly endedAt?: string;
  /** The day on which the money arrived, by a reconciliation file: its first moment, UTC. */
  readonly settledAt?: string;
  /** The day on which it came back. */
  readonly returnedAt?: string;
  /** Why, in the payment service's code. */
  readonly returnCode?: string;
  /** When a person said what was done about the money that came back; until then, it waits for a decision. ISO 8601, UTC. */
  readonly handledAt?: string;
  readonly money: MoneyPlace;
  /** It waits for a person's decision about a create request whose answer was lost. */
  readonly parked?: true;
}

/** Money in first. */
export const DIRECTIONS = ['DEBIT', 'CREDIT'] as const satisfies readonly Direction[];
/** `DEBIT`: money from the payor. `CREDIT`: money to them. */
export type Direction = SessionRequest['direction'];

export const LEDGER_OUTCOMES = ['ended', 'failed', 'open'] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/**
 * Where the money of a payment is, by what the ledger has heard; each payment is in one place.
 * `open`: nothing has ended yet. `paid`: scheduled. `settled`: it has arrived. `returned`: it came back. `unpaid`: the session ended without
 * payment. `failed`: its workflow failed.
 */
export const MONEY_PLACES = ['open', 'paid', 'settled', 'returned', 'unpaid', 'failed'] as const;
export type MoneyPlace = (typeof MONEY_PLACES)[number];

/** A summary, and its place among those of its key. */
export interface ClaimSummary extends Omit<LedgerSession, 'key'> {
  /** It answers for the key. */
  readonly stands: boolean;
  /** It is a payment of the lists: it stands, or it has a session of its own. */
  readonly listed: boolean;
  /** Its money has moved or may still move. */
  readonly mayBePaid: boolean;
  /** Its money cannot have moved before; ISO 8601, UTC. */
  readonly paidAfter: string;
  /** The reference without the white space at its ends, by which a file may name it; absent where it has none. */
  readonly trimmedReference?: string;
}

/** Summarizes all claims of a key, the first claim first. Pure. */
export function summariesOf(claims: readonly KnownClaim[]): readonly ClaimSummary[] {
  const standing = standingClaim(claims);
  return claims.map((claim) => {
    const stands = claim === standing;
    const listed = stands || claim.opened !== undefined;
    return { ...summaryOf(claim), stands, listed, paidAfter: paidAfter(claims, claim) };
  });
}

function summaryOf(claim: KnownClaim): Omit<ClaimSummary, 'stands' | 'listed' | 'paidAfter'> {
  const { claimed, ended, state, opened, settled, returned, handled, awaitsSince } = claim;
  const { sessionKind: kind, direction, account, currency, referenceId, firstRunId } = claimed;
  // Status and code come from the same fact: a code belongs to its status.
  const { status, code } = ended?.status === undefined ? { ...state } : ended;
  const amount = amountOf(claim) ?? settled?.amount ?? returned?.amount;
  const isParked = awaitsSince !== undefined && ended === undefined;
  const money = { paid: isClaimPaid(claim), money: moneyPlaceOf(claim), mayBePaid: mayBePaid(claim) };
  const trimmed = referenceId === undefined ? undefined : trimmedReference(referenceId);
  return {
    claim: claim.number,
    firstRunId,
    kind,
    direction,
    account,
    outcome: ended === undefined ? 'open' : ended.failure === undefined ? 'ended' : 'failed',
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(ended?.failure !== undefined && { failure: ended.failure }),
    ...money,
    ...(amount !== undefined && { amount }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    ...(trimmed !== undefined && trimmed !== referenceId && { trimmedReference: trimmed }),
    ...(opened !== undefined && { sessionId: sessionIdentity(opened.sessionId) }),
    claimedAt: claimed.at,
    ...(ended !== undefined && { endedAt: ended.at }),
    ...(settled !== undefined && { settledAt: settled.at }),
    ...(returned !== undefined && { returnedAt: returned.at }),
    ...(returned?.code !== undefined && { returnCode: returned.code }),
    ...(handled !== undefined && { handledAt: handled.at }),
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
