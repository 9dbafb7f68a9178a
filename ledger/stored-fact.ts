import { createHash, randomBytes } from 'node:crypto';
import { UNREADABLE } from '../src/protocol/names';
import type { LedgerFact } from '../src/protocol/ledger/facts';
import type { Claimed } from '../src/protocol/ledger/fold';
import { searchablePart } from '../src/protocol/metadata';
import { searchable } from '../src/protocol/temporal/visibility';

/** A fact as it is stored. */
export interface StoredFact {
  /** The fact's id. The same fact, recorded again, has the same id. */
  readonly id: string;
  readonly kind: LedgerFact['kind'];
  readonly at: string;
  /** JSON. */
  readonly body: string;
  /** JSON of the members that may be personal. It is stored encrypted. */
  readonly personal?: string;
  /** The searchable metadata of a claim. In plain text, only the table of claims has them, because an erasure changes no entry. */
  readonly listed?: ListedMetadata;
}

/** Searchable metadata in plain text, with the salt of their hash. */
export type ListedMetadata = Required<Pick<Claimed, 'metadata' | 'metadataSalt'>>;

/**
 * The members that may hold or quote personal data. An erasure has none: its person and reason must outlive the key. Those of a `handled`
 * fact that follows an erasure are not encrypted either, since no key is left.
 */
const PERSONAL: { readonly [K in LedgerFact['kind']]?: readonly string[] } = {
  claimed: ['request', 'metadata'],
  decision: ['by', 'reason'],
  anomaly: ['detail'],
  handled: ['by', 'reason'],
  ended: ['result'],
};

/** True if a status or a code may hold personal data: the payment service may send any text in its place, such as a name. */
function isOdd(kind: LedgerFact['kind'], [name, value]: [string, unknown]): boolean {
  if (kind !== 'state' && kind !== 'ended') return false;
  return (name === 'status' || name === 'code') && typeof value === 'string' && searchable(value) !== value;
}

/** @param isErased true if the key's personal data have been erased */
export function toStored(fact: LedgerFact, isErased = false): StoredFact {
  const listed = fact.kind === 'claimed' ? listedOf(fact) : undefined;
  const { kind, at, ...members } = listed === undefined ? fact : { ...fact, metadataProof: proofOf(listed) };
  const isReadable = kind === 'handled' && isErased;
  const isPersonal = ([name]: [string, unknown]) => !isReadable && PERSONAL[kind]?.includes(name) === true;
  const all = Object.entries(members).filter(([, value]) => value !== undefined);
  const shown = ([name, value]: [string, unknown]) => [name, isOdd(kind, [name, value]) ? UNREADABLE : value];
  const personal = all.filter((member) => isPersonal(member) || isOdd(kind, member));
  return {
    id: idOf(fact),
    kind,
    at,
    body: JSON.stringify(Object.fromEntries(all.filter((member) => !isPersonal(member)).map(shown))),
    ...(personal.length > 0 && { personal: JSON.stringify(Object.fromEntries(personal)) }),
    ...(listed !== undefined && { listed }),
  };
}

function listedOf({ metadata, searchable }: Claimed): ListedMetadata | undefined {
  if (metadata === undefined || searchable === undefined) return undefined;
  const metadataSalt = randomBytes(16).toString('base64url');
  return { metadata: searchablePart({ metadata, searchable }), metadataSalt };
}

/** Returns the hash by which an entry recognizes the searchable metadata in the table of claims. */
const proofOf = ({ metadata, metadataSalt }: ListedMetadata): string =>
  createHash('sha256')
    .update(JSON.stringify([metadataSalt, Object.entries(metadata).sort()]))
    .digest('base64url');

/** True if these are the searchable metadata that a claim was made with. */
export const isListedOf = (
  { metadataProof }: Pick<Claimed, 'metadataProof'>,
  listed: ListedMetadata,
): boolean => metadataProof === proofOf(listed);

/** Returns a stored fact without its personal part. */
export function fromStored({ kind, at, body }: Pick<StoredFact, 'kind' | 'at' | 'body'>): LedgerFact {
  // The shape is not checked. A role that may write can add any entry, and `ledger verify` reports one that cannot be read.
  return { kind, at, ...(JSON.parse(body) as object) } as LedgerFact;
}

/**
 * Returns the identity of a fact in its claim. A state is identified by its number and content. A workflow counts decisions and anomalies
 * from 1 again after a reset, so their times distinguish them. A park and a decision about it are each recorded immediately. If the worker is lost
 * with its workflow task, another worker records them again with another time, and the decision perhaps with another number. So both have a
 * stable id.
 */
function idOf(fact: LedgerFact): string {
  switch (fact.kind) {
    case 'claimed':
      // A workflow that gets its key back claims it again.
      return fact.takesOver === undefined ? 'claimed' : `claimed:${fact.takesOver}:${fact.at}`;
    case 'createUnknown':
      return `createUnknown:${fact.attempt}`;
    case 'opened':
      return [`opened:${fact.sessionId}`, ...(fact.again === undefined ? [] : [fact.again])].join(':');
    case 'state': {
      const { number, status, code, unreadableCode } = fact;
      return `state:${number}:${digest([status, code, unreadableCode])}`;
    }
    case 'cancel':
      return `cancel:${fact.at}:${fact.outcome ?? ''}`;
    case 'parked':
      return `parked:${fact.number}:${digest([fact.id])}`;
    case 'decision': {
      const { at, number, decision, sessionId, result, id } = fact;
      return id === undefined
        ? `decision:${number}:${digest([at, decision, sessionId, result])}`
        : `decision:${digest([id])}`;
    }
    case 'anomaly':
      return `anomaly:${fact.number}:${digest([fact.at, fact.anomaly])}`;
    case 'erased':
      return 'erased';
    case 'settled':
      return `settled:${digest([fact.at, fact.amount])}`;
    case 'returned':
      return `returned:${digest([fact.at, fact.amount, fact.code])}`;
    case 'handled':
      return 'handled';
    case 'ended': {
      // A workflow may end again, and differently, after a reset or after the Temporal server has refused its last step.
      const { paid, status, code, failure, leftNothing, result, after } = fact;
      return `ended:${digest([paid, status, code, failure, leftNothing, JSON.stringify(result, DISTINGUISHING), after])}`;
    }
  }
}

/** The members of a result, at any depth, that distinguish one end from another and are not personal. */
const DISTINGUISHING: string[] = [
  ...[
    'amount',
    'sessionId',
    'unsigned',
    'unverified',
    'stateHistory',
    'status',
    'code',
    'firstSeenAt',
    'source',
  ],
  ...['cancel', 'requestedAt', 'outcome', 'anomalies', 'decisions', 'kind', 'decision', 'result', 'at'],
];

/** Returns a short hash, however long the values are. */
export const digest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
