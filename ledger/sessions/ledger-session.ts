import type { SessionKind } from '../../src/contract/kinds';
import { isPaid } from '../../src/contract/paid';
import type { ErrorCode } from '../../src/errors';
import type { LedgerFact } from '../../src/protocol/ledger/facts';

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
  /** Dollars: those that the request asks for, or else those that the payor has chosen, once they are known. */
  readonly amount?: number;
  readonly currency: string;
  /** Absent where there is none, or where the policy keeps it encrypted. */
  readonly referenceId?: string;
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
}

export const LEDGER_OUTCOMES = ['ended', 'failed', 'open'] as const;
export type LedgerOutcome = (typeof LEDGER_OUTCOMES)[number];

/** The facts that a session is told by, without their personal parts. */
export interface SessionFacts {
  readonly claimed: Body<'claimed'>;
  /** The one that the session came to last. */
  readonly state: Body<'state'> | undefined;
  readonly ended: Body<'ended'> | undefined;
  readonly returned: Body<'returned'> | undefined;
}

/** As it is stored: the time stands beside it. */
export type Body<Kind extends LedgerFact['kind']> = Omit<Extract<LedgerFact, { kind: Kind }>, 'kind' | 'at'>;

interface SessionTimes {
  readonly claimedAt: string;
  readonly endedAt: string | undefined;
  readonly settledAt: string | undefined;
  readonly returnedAt: string | undefined;
}

/** A session as a list shows it. */
export function sessionOf(
  key: string,
  { claimed, state, ended, returned }: SessionFacts,
  { claimedAt, endedAt, settledAt, returnedAt }: SessionTimes,
): LedgerSession {
  const { sessionKind: kind, account, currency, referenceId } = claimed;
  const { status, code } = ended?.status === undefined ? { ...state } : ended;
  const failure = ended?.failure;
  const amount = claimed.amount ?? ended?.amount ?? state?.amount;
  return {
    key,
    kind,
    account,
    outcome: ended === undefined ? 'open' : failure === undefined ? 'ended' : 'failed',
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(failure !== undefined && { failure }),
    paid: ended?.paid ?? isPaid(kind, { ...state }),
    ...(amount !== undefined && { amount }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    claimedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(settledAt !== undefined && { settledAt }),
    ...(returnedAt !== undefined && { returnedAt }),
    ...(returned?.code !== undefined && { returnCode: returned.code }),
  };
}
