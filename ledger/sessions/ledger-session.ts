import type { SessionKind } from '../../src/contract/kinds';
import type { ErrorCode } from '../../src/errors';

/** What the ledger tells of a session without its personal data, since its key was claimed last. */
export interface LedgerSession {
  readonly key: string;
  readonly kind: SessionKind;
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
   * Dollars: how the session ended, or what a state told last, or else what the request asks for, or a reconciliation file says. Absent
   * where none of them knows.
   */
  readonly amount?: number;
  readonly currency: string;
  /** Absent where there is none, or where the policy keeps it encrypted. */
  readonly referenceId?: string;
  /** The payment service's id; absent until the session is created. */
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
  readonly money: MoneyPlace;
  /** It waits for a person's decision about a create request whose answer was lost. */
  readonly parked?: true;
}

export const LEDGER_OUTCOMES = ['ended', 'failed', 'open'] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/**
 * Where the money of a session is, by what the ledger has heard; each session is in one place.
 * `open`: nothing has ended yet. `paid`: scheduled. `settled`: it has arrived. `returned`: it came back. `unpaid`: the session ended without
 * payment. `failed`: its workflow failed.
 */
export const MONEY_PLACES = ['open', 'paid', 'settled', 'returned', 'unpaid', 'failed'] as const;
export type MoneyPlace = (typeof MONEY_PLACES)[number];

/** A session as `session_as_told` gives it, and the table of sessions has it. */
export const SESSION_COLUMNS = [
  ...['key', 'kind', 'account', 'outcome', 'status', 'code', 'failure', 'paid', 'amount', 'currency'],
  ...[
    'reference_id',
    'session_id',
    'claimed_at',
    'ended_at',
    'settled_at',
    'returned_at',
    'return_code',
    'money',
    'parked',
  ],
]
  .map((name) => `s.${name}`)
  .join(', ');

export interface SessionRow {
  readonly key: string;
  readonly kind: SessionKind;
  readonly account: string;
  readonly outcome: LedgerOutcome;
  readonly status: string | null;
  readonly code: string | null;
  readonly failure: ErrorCode | null;
  readonly paid: boolean;
  readonly amount: string | null;
  readonly currency: string;
  readonly reference_id: string | null;
  readonly session_id: string | null;
  readonly claimed_at: Date;
  readonly ended_at: Date | null;
  readonly settled_at: Date | null;
  readonly returned_at: Date | null;
  readonly return_code: string | null;
  readonly money: MoneyPlace;
  readonly parked: boolean;
}

/** A session as a list shows it; what is not known is no member. */
export function sessionOf(row: SessionRow): LedgerSession {
  const { key, kind, account, outcome, paid, currency, money } = row;
  const optional = {
    status: row.status,
    code: row.code,
    failure: row.failure,
    amount: row.amount === null ? null : Number(row.amount),
    referenceId: row.reference_id,
    sessionId: row.session_id,
    endedAt: row.ended_at?.toISOString(),
    settledAt: row.settled_at?.toISOString(),
    returnedAt: row.returned_at?.toISOString(),
    returnCode: row.return_code,
    parked: row.parked ? true : null,
  };
  const known = Object.entries(optional).filter(([, value]) => value !== null && value !== undefined);
  const claimedAt = row.claimed_at.toISOString();
  return { key, kind, account, outcome, paid, currency, money, claimedAt, ...Object.fromEntries(known) };
}
