import { fold, type KnownClaim } from '../../src/protocol/ledger/known-claim';
import { fromStored, type StoredFact } from '../entries/stored-fact';
import type { Statements } from '../postgres/database';
import { isStoredAs, SUMMARY_COLUMNS, type SummaryRow } from '../sessions/stored-summary';
import { summariesOf } from '../sessions/summary';

/** A claim of a key. */
export interface ClaimPlace {
  readonly environment: string;
  readonly key: string;
  readonly claim: number;
}

/** Entries are read so many at a time. */
const PAGE = 2_000;

/** The claims of one key, as its entries say. */
export interface FoldedKey extends Omit<ClaimPlace, 'claim'> {
  readonly claims: readonly KnownClaim[];
}

/** Folds all entries again, and gives each claim whose summary is another one, is missing, or has no entries. */
export async function* differingSummaries(
  statements: Statements,
  signal?: AbortSignal,
): AsyncGenerator<ClaimPlace> {
  let after: readonly [string, string] = ['', ''];
  for await (const keys of foldedKeys(statements)) {
    signal?.throwIfAborted();
    const last = keys.at(-1);
    const until: readonly [string, string] | undefined = last && [last.environment, last.key];
    yield* differencesBetween(statements, keys, after, until);
    if (until !== undefined) after = until;
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
    for (const { environment, key, claim, kind, at, body } of page) {
      if (current?.environment !== environment || current.key !== key) {
        if (current !== undefined) whole.push(current);
        current = { environment, key, claims: [] };
      }
      const fact = fromStored({ kind, at: at.toISOString(), body });
      current = { environment, key, claims: fold(current.claims, { claim, fact }) };
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

interface EntryRow extends Pick<StoredFact, 'kind' | 'body'>, ClaimPlace {
  readonly number: number;
  readonly at: Date;
}

const ENTRIES = `select environment, key, number, claim, kind, at, body from paysession_ledger.entries
  where (environment, key, number) > ($1, $2, $3) order by environment, key, number limit $4`;

/** Compares the rows of these keys, and of those between them that have none. Without `until` to the end. */
async function* differencesBetween(
  statements: Statements,
  keys: readonly FoldedKey[],
  after: readonly [string, string],
  until: readonly [string, string] | undefined,
): AsyncGenerator<ClaimPlace> {
  const bound = until === undefined ? '' : ' and (environment, key) <= ($3, $4)';
  const rows = await statements.query<SummaryRow & { readonly environment: string; readonly claim: number }>(
    `select environment, ${SUMMARY_COLUMNS} from paysession_ledger.claims s
      where (environment, key) > ($1, $2)${bound}`,
    [...after, ...(until ?? [])],
  );
  const stored = new Map(rows.map((row) => [placeOf(row), row]));
  for (const { environment, key, claims } of keys) {
    for (const summary of summariesOf(claims)) {
      const place = { environment, key, claim: summary.claim };
      const row = stored.get(placeOf(place));
      stored.delete(placeOf(place));
      if (row === undefined || !isStoredAs(row, summary)) yield place;
    }
  }
  for (const { environment, key, claim } of stored.values()) yield { environment, key, claim };
}

const placeOf = ({ environment, key, claim }: ClaimPlace): string =>
  JSON.stringify([environment, key, claim]);
