import type { RecordedEntry } from '../ledger/recorded';
import { endOf, entriesOf, firstRunOf } from './claims';
import { told, type Invariant, type SessionEvidence, type Violation } from './evidence';
import { isNeverCreated } from './reuse';

/** The evidence that is compared with the ledger: everything about a session except its histories. */
export type LedgerSubject = Omit<SessionEvidence, 'histories'>;

type Check = (subject: LedgerSubject, entries: readonly RecordedEntry[]) => readonly string[];

/** (n) Every create of a key is sent after a claim was committed, and none after the ledger knew a session of the key. */
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

/** (o) A key's entries are numbered from 1 without a gap, and each fact is in its claim once. */
export const checkNumbers = (entries: readonly RecordedEntry[]): readonly string[] => [
  ...(entries.every(({ number }, index) => number === index + 1)
    ? []
    : [`its entries have the numbers ${entries.map(({ number }) => number).join(' ')}`]),
  ...(new Set(entries.map(({ claim, id }) => `${claim} ${id}`)).size === entries.length
    ? []
    : ['a fact is recorded twice']),
];

/** Returns the entries of the claim of the subject's workflow. A key that became free is claimed again by another workflow. */
function ownOf({ firstRunId }: LedgerSubject, entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  const number = entries.find(
    (entry) => entry.kind === 'claimed' && firstRunOf([entry]) === firstRunId,
  )?.claim;
  return number === undefined ? [] : entriesOf(entries, number);
}

/** True if a workflow has no claim, and never created a session at the payment service. It may then end without a claim. */
const hasNothingToRecord = (subject: LedgerSubject, own: readonly RecordedEntry[]): boolean =>
  own.length === 0 && isNeverCreated(subject);

/**
 * (p) The service made all sessions that the ledger has for the key, and the one that callers received is among them. The
 * recorded end agrees with the service and with the end that callers received.
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

/** (r) The end of each session that has ended is recorded. */
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

/** Checks all invariants that the ledger's entries of one session can violate, once a sweep is over. */
export function checkLedger(subject: LedgerSubject, entries: readonly RecordedEntry[]): Violation[] {
  return CHECKS.flatMap(([invariant, check]) =>
    check(subject, entries).map((what): Violation => ({ invariant, where: subject.key, what })),
  );
}
