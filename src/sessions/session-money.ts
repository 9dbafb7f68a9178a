/** What the money of a session did, which Temporal does not know: the ledger has it from reconciliation files. */
import { isPaysessionError, type ErrorCode } from '../errors';
import { claimsOf, standingClaim, type KnownClaim } from '../protocol/ledger/known-claim';
import { soon } from './calls/soon';
import type { ReadableLedger } from './dropped-session';

/** Empty as long as no reconciliation file has told of it. */
export type SessionMoney = Pick<KnownClaim, 'settled' | 'returned'>;

/** Why the ledger does not tell now. */
export interface UnreadMoney {
  readonly unread: ErrorCode;
}

/** What is shown beside it does not wait longer. */
const WITHIN_MS = 1_000;

/** What the ledger tells within a second. Throws nothing: whoever has the session's state shows that. */
export async function readMoney(ledger: ReadableLedger, key: string): Promise<SessionMoney | UnreadMoney> {
  try {
    const entries = await soon(ledger.entriesOf(key), WITHIN_MS);
    if (entries === undefined) return { unread: 'LEDGER_UNAVAILABLE' };
    const { settled, returned } = standingClaim(claimsOf(entries)) ?? {};
    return { ...(settled && { settled }), ...(returned && { returned }) };
  } catch (error) {
    return { unread: isPaysessionError(error) ? error.code : 'LEDGER_UNAVAILABLE' };
  }
}
