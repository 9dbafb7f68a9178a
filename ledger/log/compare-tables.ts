import { fold, type KnownClaim } from '../../src/protocol/ledger/fold';
import type { FileLine } from '../reconciliation/file-line';
import { hasIdOf } from '../reconciliation/unmatched-lines';
import { fromStored, type StoredFact } from '../stored-fact';
import { type Statements, isoOf } from '../postgres/database';
import { isStoredAs, SUMMARY_TEXTS, type SummaryTexts } from '../sessions/stored-summary';
import { summariesOf, type ClaimSummary } from '../sessions/summary';
import type { LedgerFault } from './fault';

/**
 * Compares the tables that are derived from the ledger's entries with the entries.
 *
 * To fold entries means to compute the state of a key's claims from the key's entries. A summary is a claim's row in the table `claims`.
 */

/** The maximum number of entries or unmatched lines that one statement reads. */
const PAGE = 500;

/** The claims of one session key, folded from the key's entries. */
export interface FoldedKey {
  readonly environment: string;
  readonly key: string;
  readonly claims: readonly KnownClaim[];
  /** The number of the first unreadable entry. The claims are folded from the entries before it. */
  readonly unreadable?: number;
}

/**
 * Folds all entries again, and compares the claims with the stored summaries. Yields a fault for each summary that differs, is missing, or has
 * no entries. Also yields a fault for each session with an unreadable entry.
 */
export async function* summaryFaults(
  statements: Statements,
  signal?: AbortSignal,
): AsyncGenerator<LedgerFault> {
  let after: readonly [string, string] = ['', ''];
  for await (const keys of foldedKeys(statements)) {
    signal?.throwIfAborted();
    const last = keys.at(-1);
    // All entries of the page belong to a key with further entries.
    if (last === undefined) continue;
    const until: readonly [string, string] = [last.environment, last.key];
    yield* differencesBetween(statements, keys, after, until);
    after = until;
  }
  yield* differencesBetween(statements, [], after, undefined);
}

/** Folds all entries, and yields the keys page by page. */
export async function* foldedKeys(statements: Statements): AsyncGenerator<readonly FoldedKey[]> {
  let current: FoldedKey | undefined;
  let after: readonly [string, string, number] = ['', '', 0];
  for (;;) {
    const page = await statements.query<EntryRow>(ENTRIES, [...after, PAGE]);
    const whole: FoldedKey[] = [];
    for (const row of page) {
      const { environment, key } = row;
      if (current?.environment !== environment || current.key !== key) {
        if (current !== undefined) whole.push(current);
        current = { environment, key, claims: [] };
      }
      current = withEntry(current, row);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) {
      yield current === undefined ? whole : [...whole, current];
      return;
    }
    after = [last.environment, last.key, last.number];
    yield whole;
  }
}

/** Folds one more entry. The entry's body may be any text, because any database role that may write can add an entry. */
function withEntry(folded: FoldedKey, { number, claim, kind, at: stored, body }: EntryRow): FoldedKey {
  if (folded.unreadable !== undefined) return folded;
  try {
    const at = isoOf(stored);
    if (at === undefined || !body.startsWith('{')) return { ...folded, unreadable: number };
    return { ...folded, claims: fold(folded.claims, { claim, fact: fromStored({ kind, at, body }) }) };
  } catch {
    return { ...folded, unreadable: number };
  }
}

interface EntryRow extends Pick<StoredFact, 'kind' | 'at' | 'body'>, ClaimPlace {
  readonly number: number;
}

type ClaimPlace = Required<LedgerFault>['claim'];

const ENTRIES = `select environment, key, number, claim, kind, at::text, body from paysession_ledger.entries
  where (environment, key, number) > ($1, $2, $3) order by environment, key, number limit $4`;

/**
 * Compares the stored summaries from `after` to `until` with these keys, and finds stored summaries that have no entries. Without `until`,
 * continues to the end of the table.
 */
async function* differencesBetween(
  statements: Statements,
  keys: readonly FoldedKey[],
  after: readonly [string, string],
  until: readonly [string, string] | undefined,
): AsyncGenerator<LedgerFault> {
  const bound = until === undefined ? '' : ' and (environment, key) <= ($3, $4)';
  const rows = await statements.query<SummaryTexts>(
    `select ${SUMMARY_TEXTS} from paysession_ledger.claims s where (environment, key) > ($1, $2)${bound}`,
    [...after, ...(until ?? [])],
  );
  const stored = new Map(rows.map((row) => [placeOf(row), row]));
  for (const { environment, key, claims, unreadable } of keys) {
    const summaries = unreadable === undefined ? summarized(claims) : undefined;
    if (summaries === undefined) {
      const message = 'An entry of a session does not have the form of its kind.';
      const entry = unreadable !== undefined && { entry: { environment, key, number: unreadable } };
      yield { kind: 'unreadable', message, session: { environment, key }, ...entry };
    }
    for (const summary of summaries ?? []) {
      const place = placeOf({ environment, key, claim: String(summary.claim) });
      const row = stored.get(place);
      stored.delete(place);
      if (row === undefined || !isStoredAs(row, summary))
        yield differing({ environment, key, claim: summary.claim });
    }
  }
  for (const { environment, key, claim } of stored.values())
    yield differing({ environment, key, claim: Number(claim) });
}

/** Returns the summaries of claims. Returns `undefined` if a fact lacks a member that the summary needs. */
function summarized(claims: readonly KnownClaim[]): readonly ClaimSummary[] | undefined {
  try {
    return summariesOf(claims);
  } catch {
    return undefined;
  }
}

const differing = (claim: ClaimPlace): LedgerFault => ({
  kind: 'summary',
  message: 'The summary of a claim differs from its entries.',
  claim,
});

const placeOf = ({ environment, key, claim }: Pick<SummaryTexts, 'environment' | 'key' | 'claim'>): string =>
  JSON.stringify([environment, key, claim]);

/**
 * Selects a session whose row in `session_keys` breaks a rule. These are the rules: A session has a row if it has entries, and only then. The
 * row's key is null if an entry records the erasure of the session's data, and only then. If the key is null, the row names no encryption key.
 */
const DIFFERING_KEYS = `
  with sessions as (
    select environment, key, bool_or(kind = 'erased') as erased from paysession_ledger.entries group by environment, key
  )
  select coalesce(kept.environment, sessions.environment) as environment, coalesce(kept.key, sessions.key) as key,
    kept.key is null as is_gone, sessions.key is null as is_stray, kept.wrapped is null as is_destroyed,
    coalesce(sessions.erased, false) as erased
  from paysession_ledger.session_keys kept
    full join sessions on kept.environment = sessions.environment and kept.key = sessions.key
  where kept.key is null or (kept.wrapped is null) is distinct from sessions.erased
    or (kept.wrapped is null and kept.wrapped_with is not null)
  limit 1`;

interface KeyRow {
  readonly environment: string;
  readonly key: string;
  readonly is_gone: boolean;
  readonly is_stray: boolean;
  readonly is_destroyed: boolean;
  readonly erased: boolean;
}

/** Compares the table of the sessions' encryption keys with the entries. */
export async function sessionKeyFault(statements: Statements): Promise<LedgerFault | undefined> {
  const [row] = await statements.query<KeyRow>(DIFFERING_KEYS);
  if (row === undefined) return undefined;
  const { environment, key } = row;
  return { kind: 'sessionKey', message: messageOf(row), session: { environment, key } };
}

function messageOf(row: KeyRow): string {
  const { is_gone: isGone, is_stray: isStray, is_destroyed: isDestroyed, erased } = row;
  if (isStray) return 'The key of a session exists although the session has no entries.';
  if (isGone) return 'The row of a session’s key is gone.';
  if (!erased) return 'The key of a session is gone although no entry records its erasure.';
  return isDestroyed
    ? 'The row of a session’s key still names an encryption key although the key is erased.'
    : 'The key of a session exists although an entry records its erasure.';
}

/**
 * Selects a row of the outbox that breaks a rule. The outbox is the table of webhooks to send. These are the rules: A row belongs to a known
 * endpoint. A row covers only entries that exist, and at least the last entry that sends a webhook. The first entry is not checked, because only
 * the senders know which entry they must deliver first. Numbers are compared as `bigint`, so that adding 1 cannot overflow.
 */
const DIFFERING_WEBHOOKS = `
  select waiting.environment, waiting.endpoint, waiting.key from paysession_ledger.webhook_outbox waiting
    left join paysession_ledger.webhook_endpoints endpoints
      on endpoints.environment = waiting.environment and endpoints.name = waiting.endpoint
    cross join lateral (
      select max(number)::bigint as last,
        max(number) filter (where paysession_ledger.sends_webhook(kind))::bigint as sending
      from paysession_ledger.entries where entries.environment = waiting.environment and entries.key = waiting.key
    ) entries
  where not coalesce(
    endpoints.name is not null and from_number >= 1 and from_number::bigint <= to_number::bigint + 1
      and to_number between coalesce(sending, 1) and last and coalesce(missed_from between 1 and to_number, true),
    false
  ) limit 1`;

/** Compares the outbox of webhooks with the entries. */
export async function webhookFault(statements: Statements): Promise<LedgerFault | undefined> {
  const [row] = await statements.query<{ environment: string; endpoint: string; key: string }>(
    DIFFERING_WEBHOOKS,
  );
  if (row === undefined) return undefined;
  const { environment, endpoint, key } = row;
  const message = `The webhooks of a session for the endpoint "${endpoint}" are not those of its entries.`;
  return { kind: 'webhooks', message, session: { environment, key } };
}

/** A stored line of a reconciliation file. The line's reference is erased when the line is matched or explained. */
interface LineRow {
  readonly environment: string;
  readonly id: string;
  readonly account: string | null;
  readonly kind: FileLine['kind'] | null;
  readonly day: string | null;
  readonly cents: string | null;
  readonly currency: string | null;
  readonly session_id: string | null;
  readonly reference_id: string | null;
  readonly code: string | null;
  readonly is_matched: boolean;
  /** True if the payment that matches the line has an entry of the line's kind and day. */
  readonly is_recorded: boolean;
}

const LINES = `select environment, id, account, kind, day::text, trunc(amount * 100)::text as cents, currency, session_id, reference_id, code,
    matched_at is not null as is_matched, exists (select 1 from paysession_ledger.entries
      where entries.environment = lines.environment and entries.key = lines.matched_key and entries.kind = lines.kind
        and entries.at = lines.day::timestamp at time zone 'UTC') as is_recorded
  from paysession_ledger.unmatched_lines lines where (environment, id) > ($1, $2) order by environment, id limit $3`;

/**
 * Compares the table of unmatched lines with the entries. A line's id is computed from its content, so a changed line is detected. If a line
 * counts as matched, the payment must have an entry for it.
 */
export async function unmatchedLineFault(
  statements: Statements,
  signal?: AbortSignal,
): Promise<LedgerFault | undefined> {
  let after: readonly [string, string] = ['', ''];
  for (;;) {
    signal?.throwIfAborted();
    const page = await statements.query<LineRow>(LINES, [...after, PAGE]);
    const wrong = page.find((row) => (row.is_matched && !row.is_recorded) || !isKnownByContent(row));
    if (wrong !== undefined) {
      const { environment, id } = wrong;
      const message = 'An unmatched line of a reconciliation file was changed after it was kept.';
      return { kind: 'unmatchedLine', message, line: { environment, id } };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return undefined;
    after = [last.environment, last.id];
  }
}

/**
 * True if a line's id fits its content. Also true if the content is unknown. There are three reasons for that: the line could not be read, its
 * reference was erased, or its session id was not stored because it is not a UUID.
 */
function isKnownByContent({ id, account, kind, day, cents, ...line }: LineRow): boolean {
  const { session_id: sessionId, reference_id: referenceId, currency, code } = line;
  if (kind === null || (sessionId === null && referenceId === null)) return true;
  const content = {
    kind,
    date: day ?? '',
    cents: Number(cents),
    ...(currency !== null && { currency }),
    ...(code !== null && { code }),
    ...(sessionId !== null && { sessionId }),
    ...(referenceId !== null && { referenceId }),
  };
  return hasIdOf(id, content, account ?? undefined);
}
