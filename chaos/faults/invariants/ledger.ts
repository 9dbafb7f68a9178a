import type { RecordedEntry } from '../ledger/recorded';
import { endOf, entriesOf, firstRunOf } from './claims';
import { told, type Invariant, type SessionEvidence, type Violation } from './evidence';
import { isNeverCreated } from './reuse';

/** The evidence that is compared with the ledger. It is the evidence about a session without the histories. */
export type LedgerSubject = Omit<SessionEvidence, 'histories'>;

type Check = (subject: LedgerSubject, entries: readonly RecordedEntry[]) => readonly string[];

/**
 * Invariant (n): a create request of a key is sent only after a claim was committed. None is sent once the ledger knows a session of the
 * key.
 */
const checkClaims: Check = ({ key, exchanges }, entries) => {
  const creates = exchanges.filter(({ call, session }) => call === 'create' && session === key);
  const firstOf = (kind: string) =>
    Math.min(...entries.filter((entry) => entry.kind === kind).map(({ committedAtMs }) => committedAtMs));
  const [claimedAtMs, openedAtMs] = [firstOf('claimed'), firstOf('opened')];
  return creates.flatMap(({ occurrence, atMs }) => [
    ...(atMs < claimedAtMs ? [`create ${occurrence} was sent before the key was claimed`] : []),
    ...(atMs > openedAtMs
      ? [`create ${occurrence} was sent ${atMs - openedAtMs} ms after the ledger knew its session`]
      : []),
  ]);
};

/** Invariant (o): a key's entries have the numbers 1, 2, 3 and so on, without a gap. No fact is in a claim twice. */
export const checkNumbers = (entries: readonly RecordedEntry[]): readonly string[] => [
  ...(entries.every(({ number }, index) => number === index + 1)
    ? []
    : [`its entries have the numbers ${entries.map(({ number }) => number).join(' ')}`]),
  ...(new Set(entries.map(({ claim, id }) => `${claim} ${id}`)).size === entries.length
    ? []
    : ['a fact is recorded twice']),
];

/**
 * Returns the entries of the claim that belongs to the subject's workflow. A key can have further claims: if the key became free, another
 * workflow claimed it again.
 */
function ownOf({ firstRunId }: LedgerSubject, entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const number = entries.find(
    (entry) => entry.kind === 'claimed' && firstRunOf([entry]) === firstRunId,
  )?.claim;
  return number === undefined ? [] : entriesOf(entries, number);
}

/**
 * True if a workflow has no claim and never created a session at the payment service. Such a workflow may end without a record in the
 * ledger.
 */
const hasNothingToRecord = (subject: LedgerSubject, own: readonly RecordedEntry[]): boolean =>
  own.length === 0 && isNeverCreated(subject);

/**
 * Invariant (p): the service made every session that the ledger has for the key. The session that callers received is one of them. The
 * recorded end is the end at the service and the end that callers received.
 */
const checkFacts: Check = (subject, all) => {
  const entries = ownOf(subject, all);
  if (hasNothingToRecord(subject, entries)) return [];
  const { creations } = subject;
  const known = told(subject);
  const opened = entries.filter(({ kind }) => kind === 'opened').map(({ body }) => String(body['sessionId']));
  const followed = creations.find(({ sessionId }) => sessionId === known?.sessionId);
  const foreign = opened.filter((id) => !creations.some(({ sessionId }) => sessionId === id));
  const end = endOf(entries)?.body;
  const truth = followed?.truth.at(-1);
  return [
    ...foreign.map((id) => `it knows the session ${id}, which the service did not make for this key`),
    ...(known?.sessionId === undefined || opened.includes(known.sessionId)
      ? []
      : [`it does not know the session ${known.sessionId}, which was followed`]),
    ...(end === undefined || known === undefined ? [] : differencesOfEnd(end, known)),
    ...(end?.['paid'] === true && truth?.status !== 'Completed'
      ? [`it says paid, and truly ${String(truth?.status)}`]
      : []),
    ...(end !== undefined && known?.failed === undefined && end['status'] !== (truth ?? known)?.status
      ? [`it says ${String(end['status'])}, and truly ${String(truth?.status)}`]
      : []),
  ];
};

function differencesOfEnd(
  end: RecordedEntry['body'],
  known: NonNullable<ReturnType<typeof told>>,
): readonly string[] {
  const failed = end['failure'] !== known.failed;
  const isSame =
    !failed && (known.failed !== undefined || (end['status'] === known.status && end['paid'] === known.paid));
  return isSame
    ? []
    : [`it says ${JSON.stringify(end)}, and callers received ${known.failed ?? known.status}`];
}

/** Invariant (r): the end of every ended session is recorded. */
const checkEnd: Check = (subject, all) => {
  const entries = ownOf(subject, all);
  if (subject.ending === undefined || entries.some(({ kind }) => kind === 'ended')) return [];
  return hasNothingToRecord(subject, entries)
    ? []
    : [`it ended, and the ledger has ${entries.map(({ kind }) => kind).join(' ') || 'nothing'}`];
};

const CHECKS: readonly (readonly [Invariant, Check])[] = [
  ['n', checkClaims],
  ['o', (_subject, entries) => checkNumbers(entries)],
  ['p', checkFacts],
  ['r', checkEnd],
];

/** Checks all invariants about the ledger's entries of one session. A sweep must have ended before. */
export function checkLedger(subject: LedgerSubject, entries: readonly RecordedEntry[]): Violation[] {
  return CHECKS.flatMap(([invariant, check]) =>
    check(subject, entries).map((what): Violation => ({ invariant, where: subject.key, what })),
  );
}
