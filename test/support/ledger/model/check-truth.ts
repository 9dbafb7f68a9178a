import type { LedgerEntry, LedgerSession } from '../../../../ledger';
import { KEYS, type Said } from './check-rows';
import { isPaidFor, statusOf } from './simulated-service';
import { leftNothing, placeOf, type ModelWorld } from './world';

/** Compares the ledger’s data with the facts at the simulated payment service and in the workflows. */
export function checkTruth(world: ModelWorld, said: Said): void {
  for (const row of said.listed) {
    checkSession(world, said, row);
    checkEnd(world, said, row);
  }
  for (const key of KEYS) checkHolder(world, said, key);
  checkOneKeyASession(world, said);
}

/** Checks a row against its session at the payment service: the session had the row’s status, and is paid if the row is paid. */
function checkSession(world: ModelWorld, { environment, entries }: Said, row: LedgerSession): void {
  const place = placeOf(environment.name, row.key);
  const { sessionId, status } = row;
  if (sessionId === undefined) {
    if (row.paid) world.broken(`${place} is paid without a session`);
    return;
  }
  const session = world.service.find(sessionId);
  if (session === undefined) {
    world.broken(`${place} has a session that the service does not know`);
    return;
  }
  if (row.paid && !isPaidFor(session))
    world.broken(`${place} is paid, and ${sessionId} is ${statusOf(session)}`);
  if (row.amount !== session.request.amount)
    world.broken(
      `${place} is of ${String(row.amount)}, and ${sessionId} of ${String(session.request.amount)}`,
    );
  if (status !== undefined && !session.states.some((state) => state.startsWith(`${status}/`)))
    world.broken(`${place} is ${status}, and ${sessionId} never was`);
  // If a claim has only this session and has recorded that it is paid, the row must be paid.
  const own = entries.get(row.key) ?? [];
  const claims = new Set(own.filter(({ fact }) => opens(fact, sessionId)).map(({ claim }) => claim));
  const isOfIt = own.some(
    ({ claim, fact }) => claims.has(claim) && saysPaid(fact) && sessionsOf(own, claim).size === 1,
  );
  if (isOfIt && isPaidFor(session) && !row.paid)
    world.broken(`${place}: ${sessionId} was recorded as paid, and its row is not`);
}

const opens = (fact: LedgerEntry['fact'], sessionId: string): boolean =>
  fact.kind === 'opened' && fact.sessionId.toLowerCase() === sessionId;

const sessionsOf = (entries: readonly LedgerEntry[], claim: number): ReadonlySet<string> =>
  new Set(
    entries.flatMap((entry) =>
      entry.claim === claim && entry.fact.kind === 'opened' ? [entry.fact.sessionId.toLowerCase()] : [],
    ),
  );

const saysPaid = (fact: LedgerEntry['fact']): boolean =>
  (fact.kind === 'ended' && fact.paid) ||
  (fact.kind === 'state' && fact.status === 'Completed' && fact.code === 'EFT0301');

/** Checks that the row's workflow has ended as the row says. */
function checkEnd(world: ModelWorld, { environment, entries }: Said, row: LedgerSession): void {
  if (row.outcome === 'open') return;
  const firstRunId = firstRunOf(entries.get(row.key) ?? [], row.claim);
  const ends = world.ends.get(firstRunId ?? '') ?? [];
  const isMade = ends.some((end) =>
    row.outcome === 'failed'
      ? end.failure === row.failure
      : end.status === row.status && end.paid === row.paid,
  );
  if (!isMade)
    world.broken(
      `${placeOf(environment.name, row.key)} claim ${row.claim} has ended ${row.status ?? row.failure ?? ''}, and its workflow ${firstRunId ?? ''} has not: ${JSON.stringify(ends)}`,
    );
}

export const firstRunOf = (entries: readonly LedgerEntry[], claim: number): string | undefined =>
  entries
    .flatMap((entry) =>
      entry.claim === claim && entry.fact.kind === 'claimed' ? [entry.fact.firstRunId] : [],
    )
    .at(0);

/**
 * Checks that a key’s row belongs to the workflow that got the key last. The exception is a workflow that never created a session
 * at the payment service.
 */
function checkHolder(world: ModelWorld, { environment, entries, standing }: Said, key: string): void {
  const row = standing.get(key);
  const holder = world.known.grants.get(placeOf(environment.name, key));
  const own = entries.get(key) ?? [];
  if (row === undefined || holder === undefined) return;
  const firstRunId = firstRunOf(own, row.claim);
  if (firstRunId === holder || leftNothing(own, holder)) return;
  world.broken(
    `${placeOf(environment.name, key)} is answered by ${firstRunId ?? ''}, and ${holder} has got it last`,
  );
}

/** Checks that no two payments of an environment follow one session. */
function checkOneKeyASession(world: ModelWorld, { environment, listed }: Said): void {
  const ids = listed.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId]));
  if (new Set(ids).size !== ids.length)
    world.broken(`${environment.name}: two payments have one session: ${ids.join(', ')}`);
}
