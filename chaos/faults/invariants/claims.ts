import type { ListedClaim, RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Invariant, Violation } from './evidence';

type Check = (recorded: RecordedKey) => readonly string[];

/** Returns the numbers of a key's claims, each once. A claim is the ledger's record that a key belongs to one workflow. */
const claimNumbers = (entries: readonly RecordedEntry[]): readonly number[] => [
  ...new Set(entries.map(({ claim }) => claim)),
];

export const entriesOf = (entries: readonly RecordedEntry[], number: number): readonly RecordedEntry[] =>
  entries.filter(({ claim }) => claim === number);

const ofKind = (entries: readonly RecordedEntry[], kind: string): readonly RecordedEntry[] =>
  entries.filter((entry) => entry.kind === kind);

const sessionIn = ({ body }: RecordedEntry): string => String(body['sessionId']);

/** Returns the id of the first run of the claim's workflow. `own` are the claim's entries. */
export const firstRunOf = (own: readonly RecordedEntry[]): unknown => own[0]?.body['firstRunId'];

/**
 * Invariant (x): each claim belongs to one workflow. A claim begins with the entry `claimed`. No two claims belong to one workflow, and no
 * entry of a claim names another workflow. If a claim has the session of an earlier claim, it has recorded that it took the session over.
 */
const checkOwners: Check = ({ entries }) => {
  const claims = claimNumbers(entries).map((number) => ({ number, own: entriesOf(entries, number) }));
  const owners = claims.map(({ own }) => firstRunOf(own));
  return [
    ...claims.flatMap(({ number, own }) =>
      own[0]?.kind === 'claimed' ? [] : [`claim ${number} begins with ${String(own[0]?.kind)}`],
    ),
    ...(new Set(owners).size === owners.length ? [] : ['two claims are of one workflow']),
    ...claims.flatMap(({ number, own }) =>
      own
        .filter(({ body }) => body['firstRunId'] !== undefined && body['firstRunId'] !== firstRunOf(own))
        .map(({ kind }) => `claim ${number} has ${kind} of another workflow`),
    ),
    ...claims.flatMap(({ number, own }) =>
      ofKind(own, 'opened')
        .filter((opened) => isOpenedTwice(entries, opened))
        .map(
          (opened) =>
            `claim ${number} has opened ${sessionIn(opened)}, which another claim had not left to it`,
        ),
    ),
  ];
};

/** True if an earlier claim of the key had the session, and this claim has not recorded that it took the session over. */
const isOpenedTwice = (entries: readonly RecordedEntry[], opened: RecordedEntry): boolean =>
  opened.body['how'] !== 'takeOver' &&
  ofKind(entries, 'opened').some(
    (before) =>
      before.claim !== opened.claim &&
      before.number < opened.number &&
      sessionIn(before) === sessionIn(opened),
  );

/**
 * Returns the session of a claim, derived from the claim's entries. If an operator has adopted a session, that session counts, and not the
 * one that a create request made. If another claim has taken the session over, `isTaken` is true, and the claim has no session.
 */
function sessionOf(
  entries: readonly RecordedEntry[],
  number: number,
): { readonly sessionId?: string; readonly isTaken: boolean } {
  const opened = ofKind(entriesOf(entries, number), 'opened');
  const last = opened.findLast(({ body }) => body['how'] === 'adopt') ?? opened.at(-1);
  if (last === undefined) return { isTaken: false };
  const isTaken = ofKind(entries, 'opened').some(
    (later) => later.claim !== number && later.number > last.number && sessionIn(later) === sessionIn(last),
  );
  return isTaken ? { isTaken } : { sessionId: sessionIn(last), isTaken };
}

/** Returns the claim's end. If the entries contain several ends, the one with the latest time counts, even if it was recorded first. */
export const endOf = (own: readonly RecordedEntry[]): RecordedEntry | undefined =>
  ofKind(own, 'ended').reduce<RecordedEntry | undefined>(
    (one, other) => (one === undefined || other.atMs >= one.atMs ? other : one),
    undefined,
  );

const lastState = (own: readonly RecordedEntry[]): RecordedEntry | undefined =>
  ofKind(own, 'state').reduce<RecordedEntry | undefined>(
    (one, other) =>
      one === undefined || Number(other.body['number']) >= Number(one.body['number']) ? other : one,
    undefined,
  );

/**
 * Invariant (y): the ledger's list has one row for each claim, and the row says the same as the claim's entries. Exactly one row represents
 * the key.
 */
const checkList: Check = ({ entries, claims }) => {
  const numbers = claimNumbers(entries);
  const standing = claims.filter(({ stands }) => stands).length;
  return [
    ...numbers
      .filter((number) => !claims.some(({ claim }) => claim === number))
      .map((number) => `claim ${number} is in no list`),
    ...claims.flatMap((row) => differencesOfRow(row, entries)),
    ...(standing === (numbers.length > 0 ? 1 : 0) ? [] : [`${standing} claims stand for the key`]),
  ];
};

function differencesOfRow(row: ListedClaim, entries: readonly RecordedEntry[]): readonly string[] {
  const own = entriesOf(entries, row.claim);
  const end = endOf(own);
  const failure = end?.body['failure'];
  const { sessionId, isTaken } = sessionOf(entries, row.claim);
  const state = end?.body['status'] === undefined ? lastState(own) : end;
  const expected = {
    firstRunId: firstRunOf(own),
    outcome: end === undefined ? 'open' : failure === undefined ? 'ended' : 'failed',
    sessionId: sessionId?.toLowerCase(),
    // If another claim has taken the session over, that claim's row has the state, and this row has none.
    ...(state !== undefined && !isTaken && { status: state.body['status'] }),
    ...(end !== undefined && { paid: end.body['paid'] }),
  };
  return (Object.keys(expected) as (keyof typeof expected)[])
    .filter((member) => row[member] !== expected[member])
    .map(
      (member) =>
        `the list has ${member} ${String(row[member])} for claim ${row.claim}, and its entries ${String(expected[member])}`,
    );
}

const CHECKS: readonly (readonly [Invariant, Check])[] = [
  ['x', checkOwners],
  ['y', checkList],
];

/** Checks the invariants (x) and (y) for the claims of one key. */
export function checkClaims(key: string, recorded: RecordedKey): Violation[] {
  return CHECKS.flatMap(([invariant, check]) =>
    check(recorded).map((what): Violation => ({ invariant, where: key, what })),
  );
}

/** Invariant (u): no session of the payment service belongs to two keys. */
export function checkFollowers(keys: ReadonlyMap<string, RecordedKey>): Violation[] {
  const followers = new Map<string, Set<string>>();
  for (const [key, { entries }] of keys)
    for (const opened of ofKind(entries, 'opened')) {
      const sessionId = sessionIn(opened);
      followers.set(sessionId, (followers.get(sessionId) ?? new Set()).add(key));
    }
  return [...followers].flatMap(([sessionId, own]): Violation[] =>
    own.size === 1
      ? []
      : [
          {
            invariant: 'u',
            where: [...own][0] ?? '',
            what: `${[...own].join(', ')} have the session ${sessionId}`,
          },
        ],
  );
}
