/** Which entries of a session are news, and what is told of them: pure. */
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import { claimsOf, type ClaimFact } from '../../src/protocol/ledger/known-claim';
import { decisionOf, recordedSession } from '../../src/protocol/ledger/recorded-session';
import type { News, NewsData, NewsKind, NewsPayment, NewsState } from '../../src/protocol/news';
import type { SessionState } from '../../src/protocol/state/session';

/** A session as far as an entry, that one included. */
export interface ToldSession {
  readonly key: string;
  readonly environment: string;
  /** The key's first entry comes first; without their personal parts, unless they are told. */
  readonly entries: readonly ClaimFact[];
  readonly isPersonal: boolean;
}

/** The kinds of news that an entry makes, in the order in which they are told; of most entries there is one, of some none. */
export function kindsOf(before: readonly ClaimFact[], entry: ClaimFact): readonly NewsKind[] {
  const { fact } = entry;
  switch (fact.kind) {
    case 'opened':
      // Another workflow of the key had it before: that was told.
      return fact.how === 'takeOver' ? [] : ['session.opened'];
    case 'state':
      // The first one is told with `session.opened`.
      return fact.number === 1 && fact.source === 'create'
        ? []
        : ['session.state_changed', ...paidBy(before, entry)];
    case 'parked':
      return ['session.parked'];
    case 'decision':
      return ['session.decided'];
    case 'ended':
      return [...paidBy(before, entry), 'session.ended'];
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
export function newsOf({ key, environment, entries, isPersonal }: ToldSession): readonly News[] {
  const last = entries.at(-1);
  const kinds = last === undefined ? [] : kindsOf(entries.slice(0, -1), last);
  const session = kinds.length === 0 ? undefined : recordedSession(key, entries, last?.claim);
  if (last === undefined || session === undefined) return [];
  const { fact } = last;
  const { account, request, state } = session;
  const data: NewsData = {
    key,
    environment,
    account,
    number: entries.length,
    state: isPersonal ? state : withoutPersonal(state),
    ...(fact.kind === 'decision' && { decision: decisionOf(fact) }),
    ...((fact.kind === 'settled' || fact.kind === 'returned') && { payment: paymentOf(fact) }),
    ...(isPersonal && request !== undefined && { request }),
  };
  return kinds.map((type) => ({ type, timestamp: fact.at, data }));
}

/** `session.paid` where this fact is the first of its session that says so. */
function paidBy(before: readonly ClaimFact[], entry: ClaimFact): readonly NewsKind[] {
  const saidPaid = (entries: readonly ClaimFact[]) => claimsOf(entries)[entry.claim - 1]?.saidPaid === true;
  return saidPaid([...before, entry]) && !saidPaid(before) ? ['session.paid'] : [];
}

/** What was stored as personal is not in the facts; what stands for it goes, too. */
const withoutPersonal = ({ anomalies, ...state }: SessionState): NewsState => ({
  ...state,
  anomalies: anomalies.map(({ kind, at }) => ({ kind, at })),
});

function paymentOf({ kind: _kind, referenceId: _named, ...payment }: LedgerMoney): NewsPayment {
  return payment;
}
