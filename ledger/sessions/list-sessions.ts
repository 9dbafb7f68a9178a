import type { LedgerDatabase } from '../postgres/database';
import { sessionOf, type Body, type LedgerOutcome, type LedgerSession } from './ledger-session';
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

function toSession(row: PageRow): LedgerSession {
  const facts = {
    claimed: parse<'claimed'>(row.claimed),
    state: row.state === null ? undefined : parse<'state'>(row.state),
    ended: row.ended === null ? undefined : parse<'ended'>(row.ended),
    returned: row.returned === null ? undefined : parse<'returned'>(row.returned),
  };
  const times = {
    claimedAt: row.claimed_at.toISOString(),
    endedAt: row.ended_at?.toISOString(),
    settledAt: row.settled_at?.toISOString(),
    returnedAt: row.returned_at?.toISOString(),
  };
  return sessionOf(row.key, facts, times);
}

/** What was stored was a fact: rows are chained, and nobody else writes them. */
const parse = <Kind extends 'claimed' | 'state' | 'ended' | 'returned'>(body: string): Body<Kind> =>
  JSON.parse(body) as Body<Kind>;
