/** Decides which webhook messages an entry of the ledger causes, and builds them. Pure. */
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

/** The entries of a key up to and including the entry that the messages are about. */
export interface ReportedSession {
  readonly key: string;
  readonly environment: string;
  /** The entries, oldest first. They include personal data only if the messages may contain them. */
  readonly entries: readonly ClaimFact[];
  /** True if the messages may contain personal data. */
  readonly isPersonal: boolean;
}

/** The kinds of messages about money. They are sent even for a claim that has lost the key, because the payor of its session may have paid. */
const ABOUT_MONEY: ReadonlySet<WebhookKind> = new Set([
  'session.paid',
  'payment.settled',
  'payment.returned',
]);

/**
 * Returns the kinds of messages that an entry causes, in order: none, one or two. A receiver keeps one state for each key. So if the entry's claim
 * does not currently have the key, the entry causes only messages about money.
 */
export function kindsOf(before: readonly ClaimFact[], entry: ClaimFact): readonly WebhookKind[] {
  const known = claimsOf(before);
  const claims = fold(known, entry);
  const claim = claims[entry.claim - 1];
  if (claim === undefined) return [];
  const kinds = kindsOfFact(known[entry.claim - 1], claim, entry);
  if (claim === standingClaim(claims)) return kinds;
  // If a claim has no session, its workflow only returned the result of another claim's session. The payment then belongs to that other claim.
  const isOwn = sessionIn(claim, before) !== undefined;
  return kinds.filter((kind) => ABOUT_MONEY.has(kind) && (isOwn || kind !== 'session.paid'));
}

/**
 * Returns the kinds of messages for a fact. Some facts do not change the claim, for instance a state that was already known. They cause no message.
 *
 * @param before the claim before the fact
 * @param claim the claim after the fact
 */
function kindsOfFact(
  before: KnownClaim | undefined,
  claim: KnownClaim,
  { fact }: ClaimFact,
): readonly WebhookKind[] {
  const hasReturned = before?.returned !== undefined;
  // If the money has come back, a late message must not report that the session is paid.
  const paid: readonly WebhookKind[] =
    claim.isReportedPaid && before?.isReportedPaid !== true && !hasReturned ? ['session.paid'] : [];
  switch (fact.kind) {
    case 'opened':
      // If the claim has taken the session over, the claim that had it before has already sent this message.
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
export function eventsOf({
  key,
  environment,
  entries,
  isPersonal,
}: ReportedSession): readonly WebhookEvent[] {
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
 * Returns the id of a message about the last of a key's entries. The id depends only on the event. If the ledger is restored from a backup and
 * records the event again, the entry may have another number, but the message has the same id as before.
 *
 * @param factId the id of the fact, which is unique in its claim
 */
export function messageId(
  { key, environment, entries }: Pick<ReportedSession, 'key' | 'environment' | 'entries'>,
  factId: string,
  kind: WebhookKind,
): string {
  const last = entries.at(-1);
  const claim = last && claimsOf(entries)[last.claim - 1];
  const subject = claim ? subjectOf(claim, sessionIn(claim, entries), { factId, kind }) : [];
  return idOfEvent([environment, key, kind, ...subject]);
}

/** Returns the message id for an event. The texts identify the event. */
export const idOfEvent = (texts: readonly string[]): string =>
  `msg_${createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 27)}`;

/** Returns the session of a claim, even if another claim has taken the session over. Returns `undefined` if the claim never had a session. */
const sessionIn = ({ opened, number }: KnownClaim, entries: readonly ClaimFact[]): string | undefined =>
  opened?.sessionId ??
  entries
    .flatMap(({ claim, fact }) => (claim === number && fact.kind === 'opened' ? [fact.sessionId] : []))
    .at(-1);

/**
 * Returns the texts that identify an event, in addition to its kind.
 *
 * A session is opened once and paid once, even if several workflows or facts report this. So the session identifies these events. A movement of
 * money is identified by the session and the fact, and all other events by the workflow and the fact.
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

/** Removes the details of anomalies from a state, because they may contain personal data. */
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
