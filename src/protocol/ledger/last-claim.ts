/** What the ledger knows of a key since it was claimed last: pure. */
import type { LedgerEnd, LedgerFact, LedgerMoney } from './facts';

export type Claimed = Extract<LedgerFact, { kind: 'claimed' }>;
export type Opened = Extract<LedgerFact, { kind: 'opened' }>;
export type Settled = Extract<LedgerMoney, { kind: 'settled' }>;
export type Returned = Extract<LedgerMoney, { kind: 'returned' }>;

export interface KnownClaim {
  readonly claimed: Claimed;
  /** All facts of its session, those of the workflows that it was taken over from among them. */
  readonly facts: readonly LedgerFact[];
  readonly opened?: Opened;
  /** Create requests that were sent, and whose answers were lost. */
  readonly lostCreates: number;
  readonly settled?: Settled;
  readonly returned?: Returned;
  readonly ended?: LedgerEnd;
}

/** Reads all facts of a key, the first first; `undefined` where nobody has claimed it. */
export function lastClaim(facts: readonly LedgerFact[]): KnownClaim | undefined {
  let known: Omit<KnownClaim, 'facts'> | undefined;
  let from = 0;
  facts.forEach((fact, index) => {
    if (fact.kind === 'claimed') {
      // A workflow that takes a session over goes on with what is known of it.
      const isSame = known?.claimed.fingerprint === fact.fingerprint && known.ended === undefined;
      if (!isSame) from = index;
      known = { lostCreates: 0, ...(isSame && known), claimed: fact };
    } else if (known !== undefined) {
      if (fact.kind === 'opened') known = { ...known, opened: decided(known.opened, fact) };
      else if (fact.kind === 'createUnknown') known = { ...known, lostCreates: known.lostCreates + 1 };
      // A session is one payment, whose money moves once each way.
      else if (fact.kind === 'settled') known = { settled: fact, ...known };
      else if (fact.kind === 'returned') known = { returned: fact, ...known };
      else if (isEndOf(fact, known)) known = { ...known, ended: fact };
    }
  });
  return known && { ...known, facts: facts.slice(from) };
}

/** Dollars, as far as they are known: how the session ended, or what a state told last, or else what the request asks for. */
export function amountOf({
  claimed,
  ended,
  facts,
}: Pick<KnownClaim, 'claimed' | 'ended' | 'facts'>): number | undefined {
  const told = facts.filter((fact) => fact.kind === 'state').filter(({ amount }) => amount !== undefined);
  const last = told.reduce<(typeof told)[number] | undefined>(
    (one, other) => (one === undefined || other.number >= one.number ? other : one),
    undefined,
  );
  return ended?.amount ?? last?.amount ?? claimed.amount;
}

/** What a person has named stands, whichever answer of a create comes to light later. */
const decided = (before: Opened | undefined, now: Opened): Opened =>
  before?.how === 'adopt' && now.how === 'create' ? before : now;

/** A workflow that had the key before may have its end recorded late. */
const isEndOf = (fact: LedgerFact, { claimed }: Pick<KnownClaim, 'claimed'>): fact is LedgerEnd =>
  fact.kind === 'ended' && fact.firstRunId === claimed.firstRunId;
