import type { Statements } from '../postgres/database';
import type { LedgerFault } from './fault';

/**
 * A row of the outbox is about entries that exist, up to the last one that sends a webhook. When it is delivered, and how far, is known by its
 * senders alone. Numbers are compared as `bigint`, so that none is too large for a sum.
 */
const DIFFERING = `
  select waiting.environment, waiting.endpoint, waiting.key from paysession_ledger.webhook_outbox waiting
    left join paysession_ledger.webhook_endpoints endpoints
      on endpoints.environment = waiting.environment and endpoints.name = waiting.endpoint
    cross join lateral (
      select max(number)::bigint as last,
        max(number) filter (where kind not in ('claimed', 'createUnknown', 'cancel', 'anomaly', 'erased', 'handled'))::bigint as told
      from paysession_ledger.entries where entries.environment = waiting.environment and entries.key = waiting.key
    ) entries
  where not coalesce(
    endpoints.name is not null and from_number >= 1 and from_number::bigint <= to_number::bigint + 1
      and to_number between coalesce(told, 1) and last and coalesce(missed_from between 1 and to_number, true),
    false
  ) limit 1`;

/** Compares the outbox of webhooks with the entries. */
export async function webhookFault(statements: Statements): Promise<LedgerFault | undefined> {
  const [row] = await statements.query<{ environment: string; endpoint: string; key: string }>(DIFFERING);
  if (row === undefined) return undefined;
  const { environment, endpoint, key } = row;
  const message = `The webhooks of a session for the endpoint "${endpoint}" are not those of its entries.`;
  return { kind: 'webhooks', message, session: { environment, key } };
}
