import type { LedgerDatabase } from '../postgres/database';
import { sessionOf, type LedgerOutcome, type LedgerSession } from './ledger-session';
import { PAGE, pageOf, type ClaimFilter, type PageRow, type Place } from './page';

/** Which sessions of the ledger are listed; all conditions must hold. */
export interface LedgerFilter extends ClaimFilter {
  readonly outcome?: LedgerOutcome | undefined;
  readonly paid?: boolean | undefined;
}

/** Reads the sessions page by page, so that memory and each statement stay small, however many there are. */
export async function* listSessions(
  database: LedgerDatabase,
  environment: string,
  filter: LedgerFilter,
): AsyncGenerator<LedgerSession> {
  let after: Place | undefined;
  for (;;) {
    const { sql, values } = pageOf(environment, filter, after);
    const rows = await database.query<PageRow>(sql, values);
    for (const row of rows) {
      if (!row.latest) continue;
      const session = toSession(row);
      if (isAsked(session, filter)) yield session;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { claimedAt: last.place, key: last.key };
  }
}

function isAsked(session: LedgerSession, { outcome, paid }: LedgerFilter): boolean {
  return (
    (outcome === undefined || session.outcome === outcome) && (paid === undefined || session.paid === paid)
  );
}

/** The reference as it was written: PostgreSQL's JSON cannot hold all that a text may. */
function toSession({ claimed, ...row }: PageRow): LedgerSession {
  const { referenceId } = JSON.parse(claimed) as { readonly referenceId?: string };
  return { ...sessionOf(row), ...(referenceId !== undefined && { referenceId }) };
}
