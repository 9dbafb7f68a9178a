import type { Statements } from '../postgres/database';
import type { LedgerFault } from './fault';

/** A session that has entries has one row, and no other has. Its key is null exactly if an entry says that it was erased. */
const DIFFERING = `
  with sessions as (
    select environment, key, bool_or(kind = 'erased') as erased from paysession_ledger.entries group by environment, key
  )
  select coalesce(kept.environment, sessions.environment) as environment, coalesce(kept.key, sessions.key) as key,
    kept.key is null as is_gone, sessions.key is null as is_stray, coalesce(sessions.erased, false) as erased
  from paysession_ledger.session_keys kept
    full join sessions on kept.environment = sessions.environment and kept.key = sessions.key
  where kept.key is null or (kept.wrapped is null) is distinct from sessions.erased
    or (kept.wrapped is null and kept.wrapped_with is not null)
  limit 1`;

interface Row {
  readonly environment: string;
  readonly key: string;
  readonly is_gone: boolean;
  readonly is_stray: boolean;
  readonly erased: boolean;
}

/** Compares the keys of sessions' personal data with the entries. */
export async function sessionKeyFault(statements: Statements): Promise<LedgerFault | undefined> {
  const [row] = await statements.query<Row>(DIFFERING);
  if (row === undefined) return undefined;
  const { environment, key } = row;
  return { kind: 'sessionKey', message: messageOf(row), session: { environment, key } };
}

function messageOf({ is_gone: isGone, is_stray: isStray, erased }: Row): string {
  if (isStray) return 'The key of a session is there that has no entries.';
  if (isGone) return 'The row of a session’s key is gone.';
  return erased
    ? 'The key of a session is there although an entry says that it was erased.'
    : 'The key of a session is gone although no entry says that it was erased.';
}
