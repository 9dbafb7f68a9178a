/** Decides which messages an entry causes, and builds them. Pure. */
import { createHash } from 'node:crypto';
import { sessionIdentity } from '../../src/contract';
import { returnReason } from '../../src/contract/return-codes';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import {
  claimsOf,
  fold,
  standingClaim,
  type ClaimFact,
  type Claimed,
  type KnownClaim,
} from '../../src/protocol/ledger/fold';
import { decisionOf, recordedSession } from '../../src/protocol/ledger/recorded-session';
import { searchablePart } from '../../src/protocol/metadata';
import type {
  WebhookEvent,
  WebhookData,
  WebhookKind,
  WebhookPayment,
  WebhookState,
} from '../../src/protocol/webhooks';
import type { SessionState } from '../../src/protocol/state/session';

/** The entries of a key up to the one that messages are about. */
export interface ToldSession {
  readonly key: string;
  readonly environment: string;
  /** The entries, oldest first. They lack their personal parts, unless messages may have them. */
  readonly entries: readonly ClaimFact[];
  readonly isPersonal: boolean;
}

/** The kinds of messages about money. An entry causes them even if its claim does not answer for the key, since the payor may have paid. */
const ABOUT_MONEY: ReadonlySet<WebhookKind> = new Set([
  'session.paid',
  'payment.settled',
  'payment.returned',
]);

/**
 * Returns the kinds of messages that an entry causes, in their order: none, one or two. A receiver keeps one state for a key. So an entry
 * of a claim that does not answer for the key causes only messages about money.
 */
export function kindsOf(before: readonly ClaimFact[], entry: ClaimFact): readonly WebhookKind[] {
  const known = claimsOf(before);
  const claims = fold(known, entry);
  const claim = claims[entry.claim - 1];
  if (claim === undefined) return [];
  const kinds = kindsOfFact(known[entry.claim - 1], claim, entry);
  if (claim === standingClaim(claims)) return kinds;
  // A claim without a session, whose workflow only received the result of another claim's session, has no payment of its own.
  const isOwn = sessionIn(claim, before) !== undefined;
  return kinds.filter((kind) => ABOUT_MONEY.has(kind) && (isOwn || kind !== 'session.paid'));
}

/**
 * Returns the kinds for a fact. `claim` is the claim after the fact. A state, park, end or movement of money that the claim ignores
 * causes no message.
 */
function kindsOfFact(
  before: KnownClaim | undefined,
  claim: KnownClaim,
  { fact }: ClaimFact,
): readonly WebhookKind[] {
  const hasReturned = before?.returned !== undefined;
  // A late message must not report a payment whose money has come back.
  const paid: readonly WebhookKind[] =
    claim.saidPaid && before?.saidPaid !== true && !hasReturned ? ['session.paid'] : [];
  switch (fact.kind) {
    case 'opened':
      // The claim that had the session before has already sent this message.
      return fact.how === 'takeOver' ? [] : ['session.opened'];
    case 'state':
      if (claim === before) return [];
      // `session.opened` implies the first state.
      return fact.number === 1 && fact.source === 'create' ? [] : ['session.state_changed', ...paid];
    case 'parked':
      return claim === before ? [] : ['session.parked'];
    case 'decision':
      return ['session.decided'];
    case 'ended':
      return claim.ended === fact ? [...paid, 'session.ended'] : [];
    case 'settled':
      return claim.settled === fact && !hasReturned ? ['payment.settled'] : [];
    case 'returned':
      return claim.returned === fact ? ['payment.returned'] : [];
    case 'claimed':
    case 'createUnknown':
    case 'cancel':
    case 'anomaly':
    case 'erased':
    case 'handled':
      return [];
  }
}

/** Returns the messages about the last of a key's entries. */
export function eventsOf({ key, environment, entries, isPersonal }: ToldSession): readonly WebhookEvent[] {
  const last = entries.at(-1);
  const kinds = last === undefined ? [] : kindsOf(entries.slice(0, -1), last);
  if (last === undefined || kinds.length === 0) return [];
  const claim = claimsOf(entries)[last.claim - 1];
  const session = recordedSession(key, entries, last.claim);
  if (claim === undefined || session === undefined) return [];
  const { fact } = last;
  const { account, request, state } = session;
  const data: WebhookData = {
    key,
    environment,
    account,
    direction: claim.claimed.direction,
    number: entries.length,
    state: isPersonal ? state : withoutPersonal(state),
    ...(fact.kind === 'decision' && { decision: decisionOf(fact) }),
    ...((fact.kind === 'settled' || fact.kind === 'returned') && { payment: paymentOf(fact) }),
    ...metadataOf(claim.claimed, isPersonal),
    ...(isPersonal && request !== undefined && { request }),
  };
  return kinds.map((type) => ({ type, timestamp: fact.at, data }));
}

function metadataOf(claimed: Claimed, isPersonal: boolean): Pick<WebhookData, 'metadata'> {
  const metadata = isPersonal ? (claimed.metadata ?? {}) : searchablePart(claimed);
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

/**
 * Returns the id of a message about the last of a key's entries. The id depends only on the event itself. So a message keeps its id if a
 * ledger that was restored from a backup records the event again, in any order and with any number.
 *
 * @param factId the fact's identity in its claim
 */
export function messageId(
  { key, environment, entries }: Pick<ToldSession, 'key' | 'environment' | 'entries'>,
  factId: string,
  kind: WebhookKind,
): string {
  const last = entries.at(-1);
  const claim = last && claimsOf(entries)[last.claim - 1];
  const subject = claim ? subjectOf(claim, sessionIn(claim, entries), { factId, kind }) : [];
  return idOfEvent([environment, key, kind, ...subject]);
}

/** Returns the message id of an event that these texts identify. */
export const idOfEvent = (texts: readonly string[]): string =>
  `msg_${createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 27)}`;

/** Returns the session of a claim, or the session that it had before another claim took it over; `undefined` if it had none. */
const sessionIn = ({ opened, number }: KnownClaim, entries: readonly ClaimFact[]): string | undefined =>
  opened?.sessionId ??
  entries
    .flatMap(({ claim, fact }) => (claim === number && fact.kind === 'opened' ? [fact.sessionId] : []))
    .at(-1);

/**
 * Returns the subject of an event. The opening, the payment and movements of money belong to the session, whichever workflow has it. A
 * session is opened and paid once, whichever fact reports it first. All other events belong to a workflow.
 */
function subjectOf(
  { claimed: { firstRunId: run } }: KnownClaim,
  sessionId: string | undefined,
  { factId, kind }: { readonly factId: string; readonly kind: WebhookKind },
): readonly string[] {
  const session = sessionId === undefined ? run : sessionIdentity(sessionId);
  switch (kind) {
    case 'session.opened':
    case 'session.paid':
      return [session];
    case 'payment.settled':
    case 'payment.returned':
      return [session, factId];
    case 'session.state_changed':
    case 'session.parked':
    case 'session.decided':
    case 'session.ended':
      return [run, factId];
  }
}

/** Removes the details of anomalies: personal text, or the word `erased` in its place. */
const withoutPersonal = ({ anomalies, ...state }: SessionState): WebhookState => ({
  ...state,
  anomalies: anomalies.map(({ kind, at }) => ({ kind, at })),
});

function paymentOf(fact: LedgerMoney): WebhookPayment {
  const { at, amount } = fact;
  if (fact.kind === 'settled' || fact.code === undefined) return { amount, at };
  const advice = returnReason(fact.code)?.advice;
  return { amount, at, returnCode: fact.code, ...(advice && { advice }) };
}
