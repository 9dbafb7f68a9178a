/** Which entries of a session are news, and what is told of them: pure. */
import { isPaid } from '../../src/contract/paid';
import type { LedgerFact, LedgerMoney } from '../../src/protocol/ledger/facts';
import { lastClaim } from '../../src/protocol/ledger/last-claim';
import { decisionOf, recordedSession } from '../../src/protocol/ledger/recorded-session';
import type { News, NewsData, NewsKind, NewsPayment, NewsState } from '../../src/protocol/news';
import type { SessionState } from '../../src/protocol/state/session';

/** A session as far as an entry, that one included. */
export interface ToldSession {
  readonly key: string;
  readonly environment: string;
  /** The first entry's fact comes first; without their personal parts, unless they are told. */
  readonly facts: readonly LedgerFact[];
  readonly isPersonal: boolean;
}

/** The kinds of news that an entry makes, in the order in which they are told; of most entries there is one, of some none. */
export function kindsOf(before: readonly LedgerFact[], fact: LedgerFact): readonly NewsKind[] {
  switch (fact.kind) {
    case 'opened':
      return ['session.opened'];
    case 'state':
      // The first one is told with `session.opened`.
      return fact.number === 1 && fact.source === 'create'
        ? []
        : ['session.state_changed', ...paidBy(before, fact)];
    case 'parked':
      return ['session.parked'];
    case 'decision':
      return ['session.decided'];
    case 'ended':
      return [...paidBy(before, fact), 'session.ended'];
    case 'settled':
      return ['payment.settled'];
    case 'returned':
      return ['payment.returned'];
    case 'claimed':
    case 'createUnknown':
    case 'cancel':
    case 'anomaly':
    case 'erased':
      return [];
  }
}

/** Tells the last of a session's facts. Nothing where nobody has claimed the session. */
export function newsOf({ key, environment, facts, isPersonal }: ToldSession): readonly News[] {
  const fact = facts.at(-1);
  const kinds = fact === undefined ? [] : kindsOf(facts.slice(0, -1), fact);
  const session = kinds.length === 0 ? undefined : recordedSession(key, facts);
  if (fact === undefined || session === undefined) return [];
  const { account, request, state } = session;
  const data: NewsData = {
    key,
    environment,
    account,
    number: facts.length,
    state: isPersonal ? state : withoutPersonal(state),
    ...(fact.kind === 'decision' && { decision: decisionOf(fact) }),
    ...((fact.kind === 'settled' || fact.kind === 'returned') && { payment: paymentOf(fact) }),
    ...(isPersonal && request !== undefined && { request }),
  };
  return kinds.map((type) => ({ type, timestamp: fact.at, data }));
}

/** `session.paid` where this fact is the first of its session that says so. */
function paidBy(before: readonly LedgerFact[], fact: LedgerFact): readonly NewsKind[] {
  const known = lastClaim(before);
  if (known === undefined) return [];
  const { sessionKind } = known.claimed;
  const says = (one: LedgerFact) =>
    (one.kind === 'state' && isPaid(sessionKind, one)) || (one.kind === 'ended' && one.paid);
  return says(fact) && !known.facts.some(says) ? ['session.paid'] : [];
}

/** What was stored as personal is not in the facts; what stands for it goes, too. */
const withoutPersonal = ({ anomalies, ...state }: SessionState): NewsState => ({
  ...state,
  anomalies: anomalies.map(({ kind, at }) => ({ kind, at })),
});

function paymentOf({ kind: _kind, ...payment }: LedgerMoney): NewsPayment {
  return payment;
}
