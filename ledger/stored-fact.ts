import { createHash } from 'node:crypto';
import { UNREADABLE } from '../src/protocol/names';
import type { LedgerFact } from '../src/protocol/ledger/facts';
import { searchable } from '../src/protocol/temporal/visibility';

/** A fact as it is stored. */
export interface StoredFact {
  /** The same fact, recorded again, has the same id. */
  readonly id: string;
  readonly kind: LedgerFact['kind'];
  readonly at: string;
  /** JSON. */
  readonly body: string;
  /** JSON of what may be personal, which is encrypted. */
  readonly personal?: string;
}

/** The members that may be personal, or quote what is. Of an erasure none is: who did it and why must outlive the key. */
const PERSONAL: { readonly [K in LedgerFact['kind']]?: readonly string[] } = {
  claimed: ['request'],
  decision: ['by', 'reason'],
  anomaly: ['detail'],
  handled: ['by', 'reason'],
  ended: ['result'],
};

/** What the payment service gives in place of a status or a code may be anything, a name among it. */
function isOdd(kind: LedgerFact['kind'], [name, value]: [string, unknown]): boolean {
  if (kind !== 'state' && kind !== 'ended') return false;
  return (name === 'status' || name === 'code') && typeof value === 'string' && searchable(value) !== value;
}

export function toStored(fact: LedgerFact): StoredFact {
  const { kind, at, ...members } = fact;
  const isPersonal = ([name]: [string, unknown]) => PERSONAL[kind]?.includes(name) === true;
  const all = Object.entries(members).filter(([, value]) => value !== undefined);
  const shown = ([name, value]: [string, unknown]) => [name, isOdd(kind, [name, value]) ? UNREADABLE : value];
  const personal = all.filter((member) => isPersonal(member) || isOdd(kind, member));
  return {
    id: idOf(fact),
    kind,
    at,
    body: JSON.stringify(Object.fromEntries(all.filter((member) => !isPersonal(member)).map(shown))),
    ...(personal.length > 0 && { personal: JSON.stringify(Object.fromEntries(personal)) }),
  };
}

/** A fact without its personal part. */
export function fromStored({ kind, at, body }: Pick<StoredFact, 'kind' | 'at' | 'body'>): LedgerFact {
  // What was stored was a fact: rows are chained, and nobody else writes them.
  return { kind, at, ...(JSON.parse(body) as object) } as LedgerFact;
}

/**
 * Returns what makes two facts of a claim the same. A state is recorded again with its number; another one in its place is another fact. A workflow
 * counts decisions and anomalies from 1 again after a reset, so their times distinguish them. A park and a decision about
 * it are recorded at once. If the worker is lost with its workflow task, another worker records them again with another time and perhaps
 * another number, so they have an id that stays.
 */
function idOf(fact: LedgerFact): string {
  switch (fact.kind) {
    case 'claimed':
      // A workflow that gets its key back claims it once more.
      return fact.takesOver === undefined ? 'claimed' : `claimed:${fact.takesOver}:${fact.at}`;
    case 'createUnknown':
      return `createUnknown:${fact.attempt}`;
    case 'opened':
      return `opened:${fact.sessionId}`;
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
      // One that is reset may end once more, and otherwise. So may one whose last step the Temporal server has refused, as something had changed.
      const { paid, status, code, failure, result } = fact;
      return `ended:${digest([paid, status, code, failure, JSON.stringify(result, TELLING)])}`;
    }
  }
}

/** The members of a result, and of what is in it, that tell one end from another and are not personal. */
const TELLING: string[] = [
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

/** Short, whatever the service has reported. */
const digest = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
