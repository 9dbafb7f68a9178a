import { createHash, randomBytes } from 'node:crypto';
import { UNREADABLE } from '../src/protocol/names';
import type { LedgerFact } from '../src/protocol/ledger/facts';
import type { Claimed } from '../src/protocol/ledger/fold';
import { searchablePart } from '../src/protocol/metadata';
import { searchable } from '../src/protocol/temporal/visibility';

/** Converts facts about a session to the form in which the ledger stores them, and back. */

/** A fact in the form in which it is stored. */
export interface StoredFact {
  /** The fact's id. If a fact is recorded a second time, it has the same id as the first time. */
  readonly id: string;
  readonly kind: LedgerFact['kind'];
  readonly at: string;
  /** The JSON of the members that are not personal. It is stored in plain text. */
  readonly body: string;
  /** The JSON of the members that may be personal. It is stored encrypted. */
  readonly personal?: string;
  /** The searchable metadata of a claim. Only the table of claims has them in plain text: an erasure can remove them there, but not in an entry. */
  readonly listed?: ListedMetadata;
}

/** Searchable metadata in plain text, and the salt with which they are hashed. */
export type ListedMetadata = Required<Pick<Claimed, 'metadata' | 'metadataSalt'>>;

/**
 * The members that may contain personal data, by kind of fact. The fact `erased` is not listed, because its person and its reason must stay
 * readable after the erasure. If a fact `handled` follows an erasure, its members are not encrypted, because the key is gone.
 */
const PERSONAL: { readonly [K in LedgerFact['kind']]?: readonly string[] } = {
  claimed: ['request', 'metadata'],
  decision: ['by', 'reason'],
  anomaly: ['detail'],
  handled: ['by', 'reason'],
  ended: ['result'],
};

/** True if a status or code has an unusual form and so may contain personal data. The payment service could send any text, such as a name. */
function isOdd(kind: LedgerFact['kind'], [name, value]: [string, unknown]): boolean {
  if (kind !== 'state' && kind !== 'ended') return false;
  return (name === 'status' || name === 'code') && typeof value === 'string' && searchable(value) !== value;
}

/** @param isErased true if the personal data of the session key have been erased */
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

/** Returns the hash of searchable metadata. An entry contains this hash, so that a change of the metadata in the table of claims is detected. */
const proofOf = ({ metadata, metadataSalt }: ListedMetadata): string =>
  createHash('sha256')
    .update(JSON.stringify([metadataSalt, Object.entries(metadata).sort()]))
    .digest('base64url');

/** True if these are the searchable metadata with which a claim was made. */
export const isListedOf = (
  { metadataProof }: Pick<Claimed, 'metadataProof'>,
  listed: ListedMetadata,
): boolean => metadataProof === proofOf(listed);

/** Converts a stored fact back. The result has no personal members. */
export function fromStored({ kind, at, body }: Pick<StoredFact, 'kind' | 'at' | 'body'>): LedgerFact {
  // The form is not checked here. Any database role that may write can add an entry with another form. `ledger verify` reports such an entry.
  return { kind, at, ...(JSON.parse(body) as object) } as LedgerFact;
}

/**
 * Returns an id for a fact that is unique in the fact's claim. If a fact is recorded twice, both have the same id.
 *
 * - A state is identified by its number and content.
 * - An anomaly is identified by its number and time. The number alone is not enough, because a workflow counts from 1 again after a reset.
 * - A `parked` and a decision about it are recorded at once, before the workflow task ends. If the worker is lost then, another worker records
 *   them again with another time, and perhaps with another number. So both have an id of their own that stays the same.
 */
function idOf(fact: LedgerFact): string {
  switch (fact.kind) {
    case 'claimed':
      // A workflow may claim its key again. The time distinguishes the claims.
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
      // A workflow may end a second time and with another result, after a reset, or after the Temporal server has refused its last step.
      const { paid, status, code, failure, leftNothing, result, after } = fact;
      return `ended:${digest([paid, status, code, failure, leftNothing, JSON.stringify(result, DISTINGUISHING), after])}`;
    }
  }
}

/** The members of a result that are not personal, at any depth. They distinguish one end from another. */
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

/** Returns a short hash of values. */
export const digest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
