import type { LedgerMoney } from '../../src/protocol/ledger/facts';
import { amountOf, hasSession, type KnownClaim } from '../../src/protocol/ledger/known-claim';
import { moneyOf, toCents, toDecimal, type FileLine } from './file-line';

/** Why a line is matched with no session. */
export const UNMATCHED_REASONS = [
  /** The line cannot be read. */
  'unreadable',
  /** The file ends in the midst of the line. */
  'cutOff',
  /** The ledger knows no such session. */
  'unknown',
  /** Several sessions may be meant. */
  'ambiguous',
  'anotherAmount',
  'anotherCurrency',
  /** The session is of another account than the file. */
  'anotherAccount',
  /** The session has failed, expired or was cancelled: no money can have moved. */
  'notPaid',
  /** Another line has said so of the session. */
  'twice',
] as const;

export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

export interface Unmatched {
  readonly reason: UnmatchedReason;
  readonly detail: string;
}

/** A session that a line may mean. */
export interface Candidate {
  readonly key: string;
  readonly known: KnownClaim;
}

/** What becomes of a line: a new fact of the session, one that is known, or none. */
export type Judged = { readonly outcome: 'new' | 'known' } | Unmatched;

/**
 * Finds the session that a line means, by what never changes with the order of files and lines. A session id decides; of several sessions
 * with one reference the amount may decide, and nothing else: two payments of one reference and one amount need their ids. Pure.
 */
export function findSession(
  line: FileLine,
  candidates: readonly Candidate[],
  account?: string,
): Candidate | Unmatched {
  const { sessionId, referenceId } = line;
  const meant = candidates.filter(({ known }) =>
    sessionId === undefined ? known.claimed.referenceId === referenceId : hasSession(known, sessionId),
  );
  const [first] = meant;
  if (first === undefined) return unknown(line);
  const isContradicted =
    sessionId !== undefined &&
    referenceId !== undefined &&
    meant.every(({ known: { claimed } }) => (claimed.referenceId ?? referenceId) !== referenceId);
  if (isContradicted)
    return { reason: 'ambiguous', detail: `the session id is of ${first.key}, which has another reference` };
  if (meant.length === 1) return first;
  const fitting = meant.filter(({ known }) => misfit(line, known, account) === undefined);
  const [fits] = fitting;
  if (fits === undefined) return misfit(line, first.known, account) ?? first;
  if (fitting.length === 1) return fits;
  const keys = fitting.map(({ key }) => key);
  return {
    reason: 'ambiguous',
    detail: `it may mean ${keys.slice(0, 5).join(', ')}: only a session id tells`,
  };
}

/** Whether a line is news of the session that it means. Pure. */
export function judgeLine(line: FileLine, known: KnownClaim, account?: string): Judged {
  const wrong = misfit(line, known, account);
  if (wrong !== undefined) return wrong;
  const before: LedgerMoney | undefined = known[line.kind];
  if (before === undefined) return { outcome: 'new' };
  if (isSame(before, moneyOf(line))) return { outcome: 'known' };
  return { reason: 'twice', detail: `the session was ${line.kind} on ${before.at.slice(0, DAY)} already` };
}

const DAY = 'yyyy-mm-dd'.length;

const isSame = (one: LedgerMoney, other: LedgerMoney): boolean =>
  one.at === other.at && one.amount === other.amount && codeOf(one) === codeOf(other);

const codeOf = (money: LedgerMoney): string | undefined =>
  money.kind === 'returned' ? money.code : undefined;

/** Why a line cannot be of a session, whatever its money has done. */
function misfit(
  { cents, currency }: FileLine,
  known: KnownClaim,
  account: string | undefined,
): Unmatched | undefined {
  const { claimed, ended } = known;
  if (account !== undefined && claimed.account !== account)
    return { reason: 'anotherAccount', detail: `the session is of the account ${claimed.account}` };
  if (currency !== undefined && claimed.currency !== currency)
    return { reason: 'anotherCurrency', detail: `the session is in ${claimed.currency}` };
  if (ended !== undefined && hasNoMoney(ended))
    return {
      reason: 'notPaid',
      detail: `the session has ended ${ended.status ?? ended.failure ?? 'unpaid'}`,
    };
  const amount = amountOf(known);
  if (amount === undefined || toCents(amount) === cents) return undefined;
  const expected = toCents(amount);
  return {
    reason: 'anotherAmount',
    detail: `the session’s amount is ${expected === undefined ? amount : toDecimal(expected)}`,
  };
}

/** An end that nobody could verify, or that awaits a signature, may be paid after all. */
const hasNoMoney = ({ status = '', leftNothing }: NonNullable<KnownClaim['ended']>): boolean =>
  leftNothing || ['Failed', 'Cancelled', 'Expired'].includes(status);

function unknown({ sessionId, referenceId }: FileLine): Unmatched {
  const what = sessionId === undefined ? `reference "${referenceId ?? ''}"` : `session id "${sessionId}"`;
  return { reason: 'unknown', detail: `the ledger knows no session with the ${what}` };
}
