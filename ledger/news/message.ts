/** Which entries of a session are news, and what is told of them: pure. */
import { isPaid } from '../../src/contract/paid';
import type { SessionRequest } from '../../src/contract/session-request';
import type { LedgerFact } from '../../src/protocol/ledger/facts';
import { lastClaim } from '../../src/protocol/ledger/last-claim';
import { recordedSession } from '../../src/protocol/ledger/recorded-session';
import type { Anomaly, Decision } from '../../src/protocol/state/recorded';
import type { SessionState } from '../../src/protocol/state/session';

/** The kinds of news. The names are permanent. */
export const NEWS_KINDS = [
  'session.opened',
  'session.state_changed',
  'session.paid',
  'session.ended',
  'session.parked',
  'session.decided',
  'payment.settled',
  'payment.returned',
] as const;
export type NewsKind = (typeof NEWS_KINDS)[number];

/** The body of a message. */
export interface News {
  readonly type: NewsKind;
  /** When it happened; ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: NewsData;
}

export interface NewsData {
  /** The caller's key. */
  readonly key: string;
  /** Whose sessions these are: a key is unique in it. */
  readonly environment: string;
  /** The account at the payment service. */
  readonly account: string;
  /** Grows with each change of the session: of two messages, the one with the greater number is the later one. */
  readonly number: number;
  /** As the library's `state()` gives it, after this change. What is personal is there only where the endpoint asks for it. */
  readonly state: NewsState;
  /** Of `session.decided`. */
  readonly decision?: Decision;
  /** Of `payment.settled` and `payment.returned`: the line of the reconciliation file. */
  readonly payment?: NewsPayment;
  /** Only where the endpoint asks for personal data, and until it has been erased. */
  readonly request?: SessionRequest;
}

export type NewsState = Omit<SessionState, 'anomalies'> & {
  readonly anomalies: readonly (Omit<Anomaly, 'detail'> & { readonly detail?: string })[];
};

export interface NewsPayment {
  /** Dollars. */
  readonly amount: number;
  /** The day or time that the file gives; ISO 8601. */
  readonly at: string;
  /** Why it came back. */
  readonly code?: string;
}

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
    case 'decision':
      return ['session.decided'];
    case 'ended':
      return [...paidBy(before, fact), 'session.ended'];
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
  const session = recordedSession(key, facts);
  if (fact === undefined || session === undefined) return [];
  const { account, request, state } = session;
  const data: NewsData = {
    key,
    environment,
    account,
    number: facts.length,
    state: isPersonal ? state : withoutPersonal(state),
    ...(fact.kind === 'decision' && { decision: decisionOf(fact) }),
    ...(isPersonal && request !== undefined && { request }),
  };
  return kindsOf(facts.slice(0, -1), fact).map((type) => ({ type, timestamp: fact.at, data }));
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

function decisionOf({
  kind: _kind,
  number: _number,
  ...decision
}: Extract<LedgerFact, { kind: 'decision' }>): Decision {
  return decision;
}
