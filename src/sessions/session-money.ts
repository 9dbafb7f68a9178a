/** What the money of a session did, which Temporal does not know: the ledger has it from reconciliation files. */
import type { SessionRequest } from '../contract';
import { isPaysessionError, type ErrorCode } from '../errors';
import { claimsOf, standingClaim, type KnownClaim } from '../protocol/ledger/known-claim';
import { soon } from './calls/soon';
import type { ReadableLedger } from './dropped-session';

/** The money of one claim of a key. */
export interface SessionMoney extends Pick<KnownClaim, 'settled' | 'returned'> {
  /** Absent where the ledger has no claim of the run. */
  readonly direction?: SessionRequest['direction'];
}

/** Why the ledger does not tell now. */
export interface UnreadMoney {
  readonly unread: ErrorCode;
}

/** The run whose money is asked for. */
export interface RunOfMoney {
  /** Temporal's id of the first run of its workflow. */
  readonly firstRunId: string;
  /** The ledger has answered the run with the session that had the key before. */
  readonly answered?: true | undefined;
}

/** What is shown beside it does not wait longer. */
const WITHIN_MS = 1_000;

/** Reads the claims of a key, within a second. Throws nothing: a page that has the session's state shows that. */
export async function readClaims(
  ledger: ReadableLedger,
  key: string,
): Promise<readonly KnownClaim[] | UnreadMoney> {
  try {
    const entries = await soon(ledger.entriesOf(key), WITHIN_MS);
    return entries === undefined ? { unread: 'LEDGER_UNAVAILABLE' } : claimsOf(entries);
  } catch (error) {
    return { unread: isPaysessionError(error) ? error.code : 'LEDGER_UNAVAILABLE' };
  }
}

/** Returns the money of a run's own claim; without a run, of the claim that answers for the key. */
export function moneyOf(claims: readonly KnownClaim[], run: RunOfMoney | undefined): SessionMoney {
  const isOfKey = run === undefined || run.answered === true;
  const claim = isOfKey
    ? standingClaim(claims)
    : claims.find(({ claimed }) => claimed.firstRunId === run.firstRunId);
  if (claim === undefined) return {};
  const { settled, returned, claimed } = claim;
  const { direction } = claimed;
  return { direction, ...(settled && { settled }), ...(returned && { returned }) };
}
