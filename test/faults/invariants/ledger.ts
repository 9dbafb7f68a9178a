import type { RecordedEntry } from '../ledger/recorded';
import { told, type Invariant, type SessionEvidence, type Violation } from './evidence';
import { isNeverCreated } from './reuse';

/** What of a session the ledger is compared with: all of it but its histories. */
export type LedgerSubject = Omit<SessionEvidence, 'histories'>;

type Check = (subject: LedgerSubject, entries: readonly RecordedEntry[]) => readonly string[];

/** (n) Every create of a key comes after its claim was committed, and none after the ledger knew its session. */
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

/** (o) A session's entries are numbered from 1 without a gap, and each fact is there once. */
const checkNumbers: Check = (_subject, entries) => [
  ...(entries.every(({ number }, index) => number === index + 1)
    ? []
    : [`its entries have the numbers ${entries.map(({ number }) => number).join(' ')}`]),
  ...(new Set(entries.map(({ id }) => id)).size === entries.length ? [] : ['a fact is recorded twice']),
];

/** (p) The sessions that the ledger knows are the service's own, and it knows the one that callers were told of; so it is with the end. */
const checkFacts: Check = (subject, entries) => {
  // Such a key begins anew as it is tried: what becomes of that, nobody has written down.
  if (isNeverCreated(subject)) return [];
  const { creations } = subject;
  const known = told(subject);
  const opened = entries.filter(({ kind }) => kind === 'opened').map(({ body }) => String(body['sessionId']));
  const followed = creations.find(({ sessionId }) => sessionId === known?.sessionId);
  const foreign = opened.filter((id) => !creations.some(({ sessionId }) => sessionId === id));
  const end = entries.findLast(({ kind }) => kind === 'ended')?.body;
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
    : [`it says ${JSON.stringify(end)}, and callers were told ${known.failed ?? known.status}`];
}

/** (r) The end of each session that has ended is recorded. */
const checkEnd: Check = ({ ending }, entries) =>
  ending === undefined || entries.some(({ kind }) => kind === 'ended')
    ? []
    : [`it ended, and the ledger has ${entries.map(({ kind }) => kind).join(' ') || 'nothing'}`];

const CHECKS: readonly (readonly [Invariant, Check])[] = [
  ['n', checkClaims],
  ['o', checkNumbers],
  ['p', checkFacts],
  ['r', checkEnd],
];

/** Everything that the ledger's entries of one session can violate, once a sweep is over. */
export function checkLedger(subject: LedgerSubject, entries: readonly RecordedEntry[]): Violation[] {
  return CHECKS.flatMap(([invariant, check]) =>
    check(subject, entries).map((what): Violation => ({ invariant, where: subject.key, what })),
  );
}
