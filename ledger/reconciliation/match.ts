import { isLikeReference, isSameReference, isSameSession } from '../../src/contract';
import { centsOf } from '../../src/contract/values/money';
import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import type { KnownClaim } from '../../src/protocol/ledger/fold';
import { toStored } from '../stored-fact';
import { summariesOf, type ClaimSummary, type Direction } from '../sessions/summary';
import { moneyOf, toDecimal, type FileLine } from './file-line';
import { DAY_MS, dayOf } from '../../src/contract/values/day';

/** The reasons why a line is not matched with a session. */
export const UNMATCHED_REASONS = [
  /** The line cannot be read. */
  'unreadable',
  /** The file ends in the line, whose end may be missing. */
  'cutOff',
  /** The ledger has no such session. */
  'unknown',
  /** The line may mean several sessions, or its session id and its reference mean different ones. */
  'ambiguous',
  'anotherAmount',
  'anotherCurrency',
  /** The session belongs to another account than the file. */
  'anotherAccount',
  /** The date is more than a day before the session was claimed, or more than a year ahead. */
  'impossibleDate',
  /** The session failed, expired, was cancelled or never existed: no money can have moved. */
  'notPaid',
  /** The line has no session id, and a session that it may mean is still open. */
  'stillOpen',
  /** An earlier line has reported the same about the session. */
  'twice',
  /** The session's entries were changed in the ledger. */
  'tampered',
] as const;

export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** The result for a line that is not matched with a session. */
export interface Unmatched {
  readonly reason: UnmatchedReason;
  readonly detail: string;
}

/** The outcome of a line of a reconciliation file. */
export interface ReconciledLine {
  /** The line's number in the file, from 1. The line that names the columns counts, too. */
  readonly line: number;
  /** Identifies the line by its content and its file's account. An unmatched line waits under this id for a later run, or for a person's explanation. */
  readonly id: string;
  /** `known`: it was recorded before, as when a file is delivered again. */
  readonly outcome: 'recorded' | 'known' | 'unmatched';
  /** The reason why the line is unmatched. */
  readonly reason?: UnmatchedReason;
  /** A text that explains the reason. */
  readonly detail?: string;
  /** The key of its session. */
  readonly key?: string;
  /** The session's account. */
  readonly account?: string;
  /** The session's direction. For `CREDIT`, `settled` means that the money has reached the payor, and `returned` that it came back. */
  readonly direction?: Direction;
  /** The line's content; absent if it cannot be read. */
  readonly says?: FileLine;
}

/** A session that a line may mean, as the ledger knows it. */
export interface Candidate extends Omit<
  ClaimSummary,
  'stands' | 'listed' | 'firstRunId' | 'trimmedReference'
> {
  readonly key: string;
  /** The line's own fact, if it is recorded already. */
  readonly recorded?: LedgerMoney;
}

/** The conditions of a match, in addition to the sessions. */
export interface MatchScope {
  /** The account that the file belongs to. @default sessions of all accounts are matched */
  readonly account?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The judgement of a line: a new fact of the session, a known one, or the reason why it is not matched. */
export type Judged = { readonly outcome: 'new' | 'known' } | Unmatched;

/**
 * Finds the session that a line means. A session id decides. A reference decides only if the line can mean no other session, now or later. So
 * the match never depends on when the file arrives: the ledger may lack the other session's lines, and an open session may still be paid, even
 * another amount than the requested one. Pure.
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
  // Other sessions may also fit now. When the line was recorded, only this one did.
  const recorded = alike.find(
    (one) => one.recorded?.referenceId === referenceId && elsewhere(line, one, scope) === undefined,
  );
  if (recorded !== undefined) return recorded;
  const exact = alike.filter(
    (one) => one.referenceId !== undefined && isSameReference(one.referenceId, referenceId),
  );
  // If no payment in reach of the date has the reference as it is written, the file may have padded or trimmed the reference.
  const named = exact.some((one) => outOfReach(line, one, scope) === undefined) ? exact : alike;
  const misfits = named.map((one) => misfit(line, one, scope));
  const meant = named.filter((_one, place) => misfits[place] === undefined);
  const decided = meant.filter((one) => !isUndecided(one));
  if (decided.length > 1) return ambiguous(decided);
  // An open session may turn out to be the right one, even if another session fits.
  return meant.find(isUndecided) ?? decided[0] ?? nearest(misfits) ?? unknown(line);
}

/** True if the session may still be paid, or end unpaid. */
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
  const foreign = elsewhere(line, session, scope);
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

/** The reasons why a line does not mean a session, from the nearest session to the farthest. */
const BY_NEARNESS: readonly UnmatchedReason[] = [
  'notPaid',
  'impossibleDate',
  'anotherAmount',
  'anotherCurrency',
  'anotherAccount',
];

const nearest = (misfits: readonly (Unmatched | undefined)[]): Unmatched | undefined =>
  BY_NEARNESS.flatMap((reason) => misfits.find((misfit) => misfit?.reason === reason) ?? [])[0];

/** Returns why a line cannot mean a session, regardless of recorded settlements and returns. */
function misfit(line: FileLine, session: Candidate, scope: MatchScope): Unmatched | undefined {
  return (
    elsewhere(line, session, scope) ??
    ofAnotherAmount(line, session) ??
    outOfReach(line, session, scope) ??
    (session.mayBePaid ? undefined : notPaid(session))
  );
}

function elsewhere(
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

/** A day of one time zone may be the day before in another. */
const ZONES_MS = DAY_MS;
/** A file's dates may come from a clock that runs ahead, such as a sandbox's. */
const MOST_AHEAD_MS = 366 * DAY_MS;

/** Returns a time in milliseconds since the epoch: a session whose `paidAfter` is that time or later cannot have moved money on the day. */
export const endOfReach = (date: string): number => Date.parse(date) + DAY_MS + ZONES_MS;

/** Returns why money of a session cannot have moved on the line's day. */
function outOfReach(
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
        // The reference and the session id as the facts have them: a summary has the session id in lower case.
        ...(claimed.referenceId !== undefined && { referenceId: claimed.referenceId }),
        ...(opened !== undefined && { sessionId: opened.sessionId }),
        ...(money !== undefined && idOf(money) === asked && { recorded: money }),
      };
    });
}

/** Returns the id of a line's fact. Two lines with the same content for a session have the same id. */
export const idOf = (money: LedgerMoney): string => toStored(money).id;
