import type { LedgerFact } from '../../src/protocol/ledger/facts';
import { lastClaim } from '../../src/protocol/ledger/last-claim';
import { fromStored, type StoredFact } from '../entries/stored-fact';
import type { LedgerDatabase } from '../postgres/database';
import type { FileLine } from './file-line';
import type { Candidate } from './match';

/** More sessions of one reference make no difference: a line that may mean so many is ambiguous. */
const MOST_OF_A_REFERENCE = 20;

/** Finds the sessions that some lines may mean, by references and by ids, without their personal data. */
export async function findCandidates(
  database: LedgerDatabase,
  environment: string,
  lines: readonly FileLine[],
): Promise<Candidates> {
  const references = lines.flatMap(({ sessionId, referenceId }) =>
    sessionId === undefined && referenceId !== undefined ? [referenceId] : [],
  );
  const sessionIds = lines.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId]));
  const rows = await database.query<Row>(SELECT, [
    environment,
    JSON.stringify([...new Set(references)]),
    JSON.stringify([...new Set(sessionIds)]),
  ]);
  const facts = new Map<string, LedgerFact[]>();
  for (const { key, kind, at, body } of rows) {
    const known = facts.get(key) ?? [];
    known.push(fromStored({ kind, at: at.toISOString(), body }));
    facts.set(key, known);
  }
  return new Candidates(
    [...facts].flatMap(([key, all]) => {
      const known = lastClaim(all);
      return known === undefined ? [] : [{ key, known }];
    }),
  );
}

/** Sessions by their references and ids. */
export class Candidates {
  readonly #byReference = new Map<string, Candidate[]>();
  readonly #bySessionId = new Map<string, Candidate[]>();

  constructor(candidates: readonly Candidate[]) {
    for (const candidate of candidates) {
      const { claimed, opened } = candidate.known;
      if (claimed.referenceId !== undefined) add(this.#byReference, claimed.referenceId, candidate);
      if (opened !== undefined) add(this.#bySessionId, opened.sessionId, candidate);
    }
  }

  of({ sessionId, referenceId = '' }: FileLine): readonly Candidate[] {
    const found =
      sessionId === undefined ? this.#byReference.get(referenceId) : this.#bySessionId.get(sessionId);
    return found ?? [];
  }
}

function add(map: Map<string, Candidate[]>, name: string, candidate: Candidate): void {
  const others = map.get(name);
  if (others === undefined) map.set(name, [candidate]);
  else others.push(candidate);
}

interface Row extends Pick<StoredFact, 'kind' | 'body'> {
  readonly key: string;
  readonly at: Date;
}

const FOUND = `select c.key from jsonb_array_elements_text($2::jsonb) asked (reference) cross join lateral (
      select key from paysession_ledger.entries c
        where environment = $1 and kind = 'claimed' and paysession_ledger.member_of(c.body, 'referenceId') = asked.reference
        order by at desc limit ${MOST_OF_A_REFERENCE}
    ) c
  union
  select o.key from jsonb_array_elements_text($3::jsonb) asked (id) cross join lateral (
      select key from paysession_ledger.entries
        where environment = $1 and kind = 'opened' and id = 'opened:' || asked.id limit 2
    ) o`;

const SELECT = `select found.key, e.kind, e.at, e.body from (${FOUND}) found cross join lateral (
    select kind, at, body, number from paysession_ledger.entries where environment = $1 and key = found.key
  ) e order by found.key, e.number`;
