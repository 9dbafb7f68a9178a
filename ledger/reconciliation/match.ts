import { isLikeReference, isSameReference, isSameSession } from '../../src/contract';
import { centsOf } from '../../src/contract/values/money';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import type { KnownClaim } from '../../src/protocol/ledger/fold';
import { toStored } from '../stored-fact';
import { summariesOf, type ClaimSummary, type Direction } from '../sessions/summary';
import { moneyOf, toDecimal, type FileLine } from './file-line';
import { DAY_MS, dayOf } from '../../src/contract/values/day';

/**
 * Matches lines of a reconciliation file with sessions. A line reports that the money of a session has arrived (`settled`) or come back
 * (`returned`).
 */

/** The reasons why a line is not matched with a session. */
export const UNMATCHED_REASONS = [
  /** The line cannot be read. */
  'unreadable',
  /** The file ends within this line, so a part of the line may be missing. */
  'cutOff',
  /** The ledger has no session with the line's session id or reference. */
  'unknown',
  /** The line may mean several sessions, or its session id and its reference belong to different sessions. */
  'ambiguous',
  'anotherAmount',
  'anotherCurrency',
  /** The session and the file belong to different accounts. */
  'anotherAccount',
  /** The date is more than a day before the session was claimed, or more than a year ahead. */
  'impossibleDate',
  /** The session failed, expired, was cancelled or never existed, so no money can have moved. */
  'notPaid',
  /** The line has no session id, and a session that the line may mean is still open. */
  'stillOpen',
  /** An earlier line has already reported that the session's money arrived, or that it came back. */
  'twice',
  /** The session's entries were changed in the ledger. */
  'tampered',
] as const;

export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** The reason why a line is not matched with a session, and a text that explains it. */
export interface Unmatched {
  readonly reason: UnmatchedReason;
  readonly detail: string;
}

/** The outcome of a line of a reconciliation file. */
export interface ReconciledLine {
  /** The line's number in the file. The first line, which names the columns, has the number 1. */
  readonly line: number;
  /**
   * The id of the line, computed from its content and the file's account. An unmatched line waits under this id until a later run matches it or
   * a person explains it.
   */
  readonly id: string;
  /**
   * `recorded`: the session's entries now have the fact. `known`: they already had it, for instance because the file was delivered twice.
   * `unmatched`: the line matches no session.
   */
  readonly outcome: 'recorded' | 'known' | 'unmatched';
  /** The reason why the line is unmatched. */
  readonly reason?: UnmatchedReason;
  /** A text that explains the reason. */
  readonly detail?: string;
  /** The key of the session that the line means. */
  readonly key?: string;
  /** The session's account. */
  readonly account?: string;
  /** The session's direction. In a `CREDIT` session, `settled` means that the money has reached the payor. `returned` means that it came back. */
  readonly direction?: Direction;
  /** The line's content. Absent if the line cannot be read. */
  readonly says?: FileLine;
}

/** A session of the ledger that a line may mean. */
export interface Candidate extends Omit<
  ClaimSummary,
  'stands' | 'listed' | 'firstRunId' | 'trimmedReference'
> {
  readonly key: string;
  /** The fact that the line reports, if the session's entries already have it. */
  readonly recorded?: LedgerMoney;
}

/** The account and the time with which lines are matched. */
export interface MatchScope {
  /** The account that the file belongs to. @default sessions of all accounts are matched */
  readonly account?: string | undefined;
  /** The current time, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The judgement of a line. `new`: the line reports a new fact about the session. `known`: the fact is already recorded. */
export type Judged = { readonly outcome: 'new' | 'known' } | Unmatched;

/**
 * Finds the session that a line means. If the line has a session id, the id decides. If it has only a reference, the reference decides only if
 * the line cannot mean another session, now or later. So the result does not depend on when a file arrives. For example, a second session with
 * the same reference may still be open: it could be paid later, and even with another amount than requested. Pure.
 */
export function findSession(
  line: FileLine,
  candidates: readonly Candidate[],
  scope: MatchScope,
): Candidate | Unmatched {
  return line.sessionId === undefined ? byReference(line, candidates, scope) : bySessionId(line, candidates);
}

function bySessionId(line: FileLine, candidates: readonly Candidate[]): Candidate | Unmatched {
  const { sessionId = '', referenceId } = line;
  const meant = candidates.find(
    (one) => one.sessionId !== undefined && isSameSession(one.sessionId, sessionId),
  );
  if (meant === undefined) return unknown(line);
  const isContradicted =
    referenceId !== undefined &&
    meant.referenceId !== undefined &&
    !isLikeReference(meant.referenceId, referenceId);
  return isContradicted
    ? { reason: 'ambiguous', detail: `the session id belongs to ${meant.key}, which has another reference` }
    : meant;
}

function byReference(
  line: FileLine,
  candidates: readonly Candidate[],
  scope: MatchScope,
): Candidate | Unmatched {
  const { referenceId = '' } = line;
  const alike = candidates.filter(
    (one) => one.referenceId !== undefined && isLikeReference(one.referenceId, referenceId),
  );
  // If the line is already recorded for a session, that session is the answer, even if other sessions fit now. It was the only one then.
  const recorded = alike.find(
    (one) =>
      one.recorded?.referenceId === referenceId && otherAccountOrCurrency(line, one, scope) === undefined,
  );
  if (recorded !== undefined) return recorded;
  const exact = alike.filter(
    (one) => one.referenceId !== undefined && isSameReference(one.referenceId, referenceId),
  );
  // Prefer sessions with exactly the line's reference. If the line's date rules all of those out, the program that wrote the file may have added
  // or removed spaces, so use all sessions with a similar reference.
  const named = exact.some((one) => impossibleDay(line, one, scope) === undefined) ? exact : alike;
  const misfits = named.map((one) => misfit(line, one, scope));
  const meant = named.filter((_one, place) => misfits[place] === undefined);
  const decided = meant.filter((one) => !isUndecided(one));
  if (decided.length > 1) return ambiguous(decided);
  // If a session is still open, it may turn out to be the right one, even if an ended session fits.
  return meant.find(isUndecided) ?? decided[0] ?? nearest(misfits) ?? unknown(line);
}

/** True if the session is open, so that it may still be paid or end unpaid. */
const isUndecided = ({ money }: Candidate): boolean => money === 'open';

const MOST_NAMED = 5;

function ambiguous(meant: readonly Candidate[]): Unmatched {
  const keys = meant.slice(0, MOST_NAMED).map(({ key }) => key);
  const others = meant.length > MOST_NAMED ? ' and others' : '';
  return {
    reason: 'ambiguous',
    detail: `it may mean ${keys.join(', ')}${others}: only a session id distinguishes them`,
  };
}

/** Judges whether a line is new for the session that it means. Pure. */
export function judgeLine(line: FileLine, session: Candidate, scope: MatchScope): Judged {
  const foreign = otherAccountOrCurrency(line, session, scope);
  if (foreign !== undefined) return foreign;
  if (session.recorded !== undefined) return { outcome: 'known' };
  const wrong = misfit(line, session, scope);
  if (wrong !== undefined) return wrong;
  if (line.sessionId === undefined && isUndecided(session))
    return {
      reason: 'stillOpen',
      detail: `${session.key} is still open: reconcile the file again when it has ended`,
    };
  const before = line.kind === 'settled' ? session.settledAt : session.returnedAt;
  if (before === undefined) return { outcome: 'new' };
  return { reason: 'twice', detail: `the session was ${line.kind} on ${dayOf(before)} already` };
}

/** The reasons why a session does not fit a line. The reason of the session that fits best comes first. */
const BY_NEARNESS: readonly UnmatchedReason[] = [
  'notPaid',
  'impossibleDate',
  'anotherAmount',
  'anotherCurrency',
  'anotherAccount',
];

const nearest = (misfits: readonly (Unmatched | undefined)[]): Unmatched | undefined =>
  BY_NEARNESS.flatMap((reason) => misfits.find((misfit) => misfit?.reason === reason) ?? [])[0];

/** Returns the reason why a line cannot mean a session. Does not consider settlements and returns that are already recorded. */
function misfit(line: FileLine, session: Candidate, scope: MatchScope): Unmatched | undefined {
  return (
    otherAccountOrCurrency(line, session, scope) ??
    ofAnotherAmount(line, session) ??
    impossibleDay(line, session, scope) ??
    (session.mayBePaid ? undefined : notPaid(session))
  );
}

function otherAccountOrCurrency(
  { currency }: FileLine,
  session: Candidate,
  { account }: MatchScope,
): Unmatched | undefined {
  if (account !== undefined && session.account !== account)
    return { reason: 'anotherAccount', detail: `the session belongs to the account ${session.account}` };
  if (currency !== undefined && session.currency !== currency)
    return { reason: 'anotherCurrency', detail: `the session is in ${session.currency}` };
  return undefined;
}

function ofAnotherAmount({ cents }: FileLine, { amount, fitsAnyAmount }: Candidate): Unmatched | undefined {
  if (fitsAnyAmount || amount === undefined || centsOf(amount) === cents) return undefined;
  const expected = centsOf(amount);
  return {
    reason: 'anotherAmount',
    detail: `the session’s amount is ${expected === undefined ? amount : toDecimal(expected)}`,
  };
}

/** The tolerance for time zones: a day of one time zone may be the day before in another one. */
const ZONES_MS = DAY_MS;
/** The most that a line's date may be ahead of the current time. The date may come from a clock that is ahead, such as a sandbox's clock. */
const MOST_AHEAD_MS = 366 * DAY_MS;

/** Returns a time, in milliseconds since the epoch. If a session's `paidAfter` is that time or later, its money cannot have moved on the day. */
export const endOfReach = (date: string): number => Date.parse(date) + DAY_MS + ZONES_MS;

/** Returns the reason why money of a session cannot have moved on the line's day. */
function impossibleDay(
  { date }: FileLine,
  { claimedAt, paidAfter }: Candidate,
  { nowMs }: MatchScope,
): Unmatched | undefined {
  if (Date.parse(date) > nowMs + MOST_AHEAD_MS)
    return { reason: 'impossibleDate', detail: `${date} is more than a year ahead` };
  if (Date.parse(paidAfter) < endOfReach(date)) return undefined;
  return {
    reason: 'impossibleDate',
    detail: `the session was claimed on ${dayOf(claimedAt)}, after ${date}`,
  };
}

const notPaid = ({ status, failure }: Candidate): Unmatched => ({
  reason: 'notPaid',
  detail: `the session has ended ${status ?? failure ?? 'unpaid'}`,
});

function unknown({ sessionId, referenceId }: FileLine): Unmatched {
  const what = sessionId === undefined ? `reference "${referenceId ?? ''}"` : `session id "${sessionId}"`;
  return { reason: 'unknown', detail: `the ledger knows no session with the ${what}` };
}

/** Returns the sessions of a key that a line may mean. */
export function candidatesOf(
  key: string,
  claims: readonly KnownClaim[],
  line: FileLine,
): readonly Candidate[] {
  const asked = idOf(moneyOf(line));
  return summariesOf(claims)
    .filter(({ listed }) => listed)
    .map((summary) => {
      const { referenceId: _stored, sessionId: _identity, ...session } = summary;
      const { claimed, opened, [line.kind]: money } = claims[summary.claim - 1] as KnownClaim;
      return {
        ...session,
        key,
        // The reference and the session id are those of the facts. A summary has the session id in lower case.
        ...(claimed.referenceId !== undefined && { referenceId: claimed.referenceId }),
        ...(opened !== undefined && { sessionId: opened.sessionId }),
        ...(money !== undefined && idOf(money) === asked && { recorded: money }),
      };
    });
}

/** Returns the id of the fact that a line reports. Two lines with the same content have facts with the same id. */
export const idOf = (money: LedgerMoney): string => toStored(money).id;
