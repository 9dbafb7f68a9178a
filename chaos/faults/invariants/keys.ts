import type { RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Told } from '../service/exchange';
import { checkClaims, checkFollowers, entriesOf } from './claims';
import type { Invariant, Violation } from './evidence';
import { forgottenAtMs } from './forgotten';
import type { KeyCreate, KeyEvidence, MadeSession, Upheavals } from './key-evidence';
import { checkNumbers } from './ledger';
import { text } from './states';

/** The evidence about an episode of keys. */
export interface KeysEvidence extends Upheavals {
  readonly keys: readonly KeyEvidence[];
}

type Check = (evidence: KeyEvidence, episode: KeysEvidence) => readonly string[];

type Made = KeyCreate & { readonly made: MadeSession };

const madeBy = ({ creates }: KeyEvidence): readonly Made[] =>
  creates.filter((create): create is Made => create.made !== undefined);

const sessionsOf = ({ keys }: KeysEvidence): ReadonlyMap<string, MadeSession> =>
  new Map(keys.flatMap((key) => madeBy(key).map(({ made }) => [made.sessionId, made] as const)));

const isPaid = (session: MadeSession | undefined): boolean => {
  const last = session?.truth.at(-1);
  return last?.status === 'Completed' && last.code === 'EFT0301';
};

/** Returns the time at which both the ledger and Temporal had forgotten a create request. Returns `Infinity` if that never happened. */
export const forgotten = (
  evidence: KeyEvidence,
  { restores, sweeps }: Upheavals,
  { atMs }: KeyCreate,
): number => forgottenAtMs({ ...evidence, restores, sweeps, atMs });

/** Invariant (n): a create request is sent only after its key was claimed. None is sent while the ledger knows a session of the key. */
const checkCreates: Check = ({ creates, recorded, lost }) => {
  const epochs = [...lost, { untilMs: Infinity, entries: recorded.entries }];
  const firstOf = (entries: readonly RecordedEntry[], kind: string) =>
    Math.min(...entries.filter((entry) => entry.kind === kind).map(({ committedAtMs }) => committedAtMs));
  // A claim also counts if a restore lost it before the create request was sent.
  const claimedAtMs = firstOf(
    epochs.flatMap(({ entries }) => entries),
    'claimed',
  );
  return creates.flatMap(({ atMs }, index) => {
    const openedAtMs = firstOf(epochs.find(({ untilMs }) => atMs <= untilMs)?.entries ?? [], 'opened');
    return [
      ...(atMs < claimedAtMs ? [`create ${index + 1} was sent before the key was claimed`] : []),
      ...(atMs > openedAtMs
        ? [`create ${index + 1} was sent ${atMs - openedAtMs} ms after the ledger knew a session`]
        : []),
    ];
  });
};

/**
 * Invariant (v), first part: a key gets a second session only by the policy or by an operator's decision, and only for the same request.
 * There is one exception. If the ledger and Temporal have both forgotten the first session, a second one is allowed, also for another
 * request.
 */
const checkSecondCreates: Check = (evidence, episode) => {
  const creates = madeBy(evidence);
  return creates.flatMap((second, index) =>
    creates.slice(0, index).flatMap((first) => {
      if (forgotten(evidence, episode, first) <= second.atMs) return [];
      const { sessionId } = first.made;
      if (first.made.amount !== second.made.amount)
        return [`${second.made.sessionId} was made for another request, although ${sessionId} may be known`];
      return evidence.plan.onUnknownCreate === 'retry' || isDecided(evidence, first, second)
        ? []
        : [`${second.made.sessionId} was made after ${sessionId} without a decision`];
    }),
  );
};

const isDecided = ({ decisions }: KeyEvidence, first: KeyCreate, second: KeyCreate): boolean =>
  decisions.some(
    ({ decision, atMs, doneAtMs }) => decision === 'retry' && atMs <= second.atMs && doneAtMs >= first.atMs,
  );

/**
 * Invariant (v), second part: a session that no key follows is recorded as a possible orphan. A session that the ledger and Temporal have
 * both forgotten is not checked.
 */
const checkLeft: Check = (evidence, episode) => {
  const { recorded, key } = evidence;
  const own = madeBy(evidence);
  const left = own.filter(
    (create) =>
      followersOf(create.made.sessionId, episode).length === 0 &&
      forgotten(evidence, episode, create) === Infinity,
  );
  // The operator may have adopted another key's session by mistake. This key's own session is then left.
  const misnamed = recorded.claims.filter(
    ({ sessionId }) => sessionId !== undefined && !own.some(({ made }) => made.sessionId === sessionId),
  );
  const orphans = orphansIn(recorded);
  return left.length <= orphans + misnamed.length
    ? []
    : [
        `${left.map(({ made }) => made.sessionId).join(', ')} of ${key} are followed by no claim, and ${orphans} possible orphans are recorded`,
      ];
};

const followersOf = (sessionId: string, { keys }: KeysEvidence) =>
  keys.flatMap(({ recorded }) => recorded.claims.filter((claim) => claim.sessionId === sessionId));

/**
 * Returns the number of a key's create requests with an unknown outcome, as the ledger has recorded it. The anomalies give one number, and
 * the claims give another. The larger one counts.
 */
function orphansIn({ entries, claims }: RecordedKey): number {
  const told = entries.filter(({ body }) => body['anomaly'] === 'possibleOrphan').length;
  const counted = claims.map(({ claim }) => {
    const own = entriesOf(entries, claim);
    const unknown = own.filter(({ kind }) => kind === 'createUnknown').length;
    return Math.max(0, ...own.map(({ body }) => Number(body['lostCreates'] ?? 0))) + unknown;
  });
  return Math.max(told, ...counted);
}

/**
 * Invariant (w): a session that is paid at the service is listed as paid, if the ledger or Temporal still knows of it. No other session is
 * listed as paid.
 */
const checkPaid: Check = (evidence, episode) => {
  const sessions = sessionsOf(episode);
  const unlisted = madeBy(evidence)
    .filter(({ made }) => isPaid(made))
    .filter(({ made: { sessionId } }) => {
      const followers = followersOf(sessionId, episode);
      const isKnown = followers.length > 0 || evidence.told?.sessionId === sessionId;
      return isKnown && !followers.some(({ paid }) => paid);
    });
  const { claims, entries } = evidence.recorded;
  const unpaid = claims.filter(({ claim, paid, listed, sessionId = '' }) => {
    // If another claim has taken a claim's session over, the claim is in no list. It still has the end of its own workflow.
    const had = listed ? [sessionId] : openedIn(entriesOf(entries, claim));
    return paid && !had.some((id) => isPaid(sessions.get(id)));
  });
  return [
    ...unlisted.map(({ made: { sessionId } }) => `${sessionId} is paid, and is not listed so`),
    ...unpaid.map(
      ({ claim, sessionId = 'none' }) => `claim ${claim} is paid, and its session ${sessionId} is not`,
    ),
  ];
};

const openedIn = (own: readonly RecordedEntry[]): readonly string[] =>
  own.flatMap(({ kind, body }) => (kind === 'opened' ? [String(body['sessionId'])] : []));

/** Invariant (x), for keys: the states and the end in a claim are true states of the claim's sessions. */
const checkTruth: Check = ({ recorded: { entries, claims } }, episode) =>
  claims.flatMap(({ claim }) => {
    const own = entriesOf(entries, claim);
    const sessions = openedIn(own);
    const truth = sessions.flatMap((sessionId) => sessionsOf(episode).get(sessionId)?.truth ?? []);
    const states = own.filter(({ kind, body }) => kind === 'state' || (kind === 'ended' && 'status' in body));
    // A workflow may end without a session. If Temporal is then restored to a moment before that end, the workflow may still create a
    // session.
    const mayLack = sessions.length === 0 || episode.restores.some(({ server }) => server === 'temporal');
    const foreign = states.filter(({ body }) => !isAmong(body, truth) && !(mayLack && isUncreated(body)));
    return foreign.map(
      ({ kind, body }) =>
        `claim ${claim} has ${kind} ${text([body as unknown as Told])}, and its session ${text(truth)}`,
    );
  });

const isAmong = (body: RecordedEntry['body'], truth: readonly Told[]): boolean =>
  truth.some(({ status, code }) => status === body['status'] && code === body['code']);

/** True if an entry says that the workflow was cancelled before its create request. It then ended without a session. */
const isUncreated = ({ status, code }: RecordedEntry['body']): boolean =>
  status === 'Cancelled' && code === undefined;

/** Invariant (p): the session that callers receive is in the ledger's list, with the same end. */
const checkReceivedEnd: Check = ({ told, recorded: { claims } }) => {
  if (told?.sessionId === undefined || told.failure !== undefined) return [];
  const { sessionId, paid, status } = told;
  const row = claims.find((claim) => claim.sessionId === sessionId);
  return row?.paid === paid && row.status === status
    ? []
    : [`callers receive ${sessionId} ${status ?? ''} paid ${paid}, and the list has ${JSON.stringify(row)}`];
};

/** Invariant (h): every call succeeds or fails with an error that has a code. */
const checkAnswers: Check = ({ calls }) =>
  calls.flatMap(({ does, error }) =>
    error === undefined || /^([A-Z_]+|WorkflowNotFoundError)$/.test(error)
      ? []
      : [`${does} was answered ${error}`],
  );

const CHECKS: readonly (readonly [Invariant, Check])[] = [
  ['e', ({ isStuck }) => (isStuck ? ['its work has not ended, although nothing fails any more'] : [])],
  ['h', checkAnswers],
  ['n', checkCreates],
  ['o', ({ recorded }) => checkNumbers(recorded.entries)],
  ['p', checkReceivedEnd],
  ['v', checkSecondCreates],
  ['v', checkLeft],
  ['w', checkPaid],
  ['x', checkTruth],
];

/** Checks all invariants about the keys of an episode. All servers must be running again, and a sweep must have ended. */
export function checkKeys(episode: KeysEvidence): Violation[] {
  const { keys } = episode;
  return [
    ...keys.flatMap((evidence) =>
      CHECKS.flatMap(([invariant, check]) =>
        check(evidence, episode).map((what): Violation => ({ invariant, where: evidence.key, what })),
      ),
    ),
    ...keys.flatMap(({ key, recorded }) => checkClaims(key, recorded)),
    ...checkFollowers(new Map(keys.map(({ key, recorded }) => [key, recorded]))),
    ...checkReportedOnce(keys),
  ];
}

/** Invariant (u): no two keys report one and the same session of the payment service to their callers. */
function checkReportedOnce(keys: readonly KeyEvidence[]): Violation[] {
  return keys.flatMap(({ key, told }, index) =>
    keys
      .slice(0, index)
      .filter((other) => told?.sessionId !== undefined && other.told?.sessionId === told.sessionId)
      .map((other): Violation => ({
        invariant: 'u',
        where: key,
        what: `it has the session of ${other.key}`,
      })),
  );
}
