import { sessionIdentity } from '../../src/contract';
import { claimsOf, standingClaim, type ClaimFact } from '../../src/protocol/ledger/known-claim';
import { fromStored, type StoredFact } from '../entries/stored-fact';
import type { LedgerDatabase } from '../postgres/database';
import type { FileLine } from './file-line';
import type { Candidate } from './match';

/** Finds the sessions that some lines may mean, by references and by ids, without their personal data. */
export async function findCandidates(
  database: LedgerDatabase,
  environment: string,
  lines: readonly FileLine[],
): Promise<Candidates> {
  const references = lines.flatMap(({ sessionId, referenceId }) =>
    sessionId === undefined && referenceId !== undefined ? [referenceId] : [],
  );
  const sessionIds = lines.flatMap(({ sessionId }) =>
    sessionId === undefined ? [] : [sessionIdentity(sessionId)],
  );
  const rows = await database.query<Row>(SELECT, [
    environment,
    JSON.stringify([...new Set(references)]),
    JSON.stringify([...new Set(sessionIds)]),
  ]);
  const entries = new Map<string, ClaimFact[]>();
  for (const { key, claim, kind, at, body } of rows) {
    const known = entries.get(key) ?? [];
    known.push({ claim, fact: fromStored({ kind, at: at.toISOString(), body }) });
    entries.set(key, known);
  }
  return new Candidates(
    [...entries].flatMap(([key, all]) => {
      const claims = claimsOf(all);
      const standing = standingClaim(claims);
      return claims
        .filter((claim) => claim === standing || claim.opened !== undefined)
        .map((known) => ({ key, known }));
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
      if (opened !== undefined) add(this.#bySessionId, sessionIdentity(opened.sessionId), candidate);
    }
  }

  of({ sessionId, referenceId = '' }: FileLine): readonly Candidate[] {
    const found =
      sessionId === undefined ? this.#byReference.get(referenceId) : this.#bySessionId.get(sessionIdentity(sessionId));
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
  readonly claim: number;
  readonly at: Date;
}

const SELECT = `select e.key, e.claim, e.kind, e.at, e.body from paysession_ledger.entries e
  where environment = $1 and key in (
    select key from paysession_ledger.claims where environment = $1 and listed
      and reference_id = any (select jsonb_array_elements_text($2::jsonb))
    union
    select key from paysession_ledger.claims where environment = $1
      and session_id = any (select jsonb_array_elements_text($3::jsonb))
  ) order by e.key, e.number`;
