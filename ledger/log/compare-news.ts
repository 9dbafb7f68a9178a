import type { Statements } from '../postgres/database';
import type { LedgerFault } from './fault';

/**
 * A row of the outbox is about entries that exist, up to the last one that sends a webhook. When it is delivered, and how far, is known by its
 * senders alone. Numbers are compared as `bigint`, so that none is too large for a sum.
 */
const DIFFERING = `
  select news.environment, news.endpoint, news.key from paysession_ledger.news
    left join paysession_ledger.news_endpoints endpoints
      on endpoints.environment = news.environment and endpoints.name = news.endpoint
    cross join lateral (
      select max(number)::bigint as last,
        max(number) filter (where kind not in ('claimed', 'createUnknown', 'cancel', 'anomaly', 'erased'))::bigint as told
      from paysession_ledger.entries where entries.environment = news.environment and entries.key = news.key
    ) entries
  where not coalesce(
    endpoints.name is not null and from_number >= 1 and from_number::bigint <= to_number::bigint + 1
      and to_number between coalesce(told, 1) and last and coalesce(missed_from between 1 and to_number, true),
    false
  ) limit 1`;

/** Compares the outbox of webhooks with the entries. */
export async function newsFault(statements: Statements): Promise<LedgerFault | undefined> {
  const [row] = await statements.query<{ environment: string; endpoint: string; key: string }>(DIFFERING);
  if (row === undefined) return undefined;
  const { environment, endpoint, key } = row;
  const message = `The webhooks of a session for the endpoint "${endpoint}" are not those of its entries.`;
  return { kind: 'news', message, session: { environment, key } };
}
