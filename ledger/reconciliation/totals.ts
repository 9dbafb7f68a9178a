import { toDecimal, type FileLine } from './file-line';
import { UNMATCHED_REASONS, type ReconciledLine, type UnmatchedReason } from './match';

/** A number of lines, and the sum of their amounts. */
export interface Total {
  readonly lines: number;
  /** The sum in dollars, with two decimals, such as 1250.50. */
  readonly amount: string;
}

/** The totals of one or more reconciliation files. */
export interface ReconciliationTotals {
  /** The number of lines. Column titles, empty lines, and lines that are not about a payment, such as a total, do not count. */
  readonly lines: number;
  /** The number of lines that this run has recorded. In a dry run, the number of lines that would be recorded. */
  readonly recorded: number;
  /** The number of lines that had been recorded before, for instance because a file was delivered twice. */
  readonly known: number;
  /** The number of lines that are not matched with a session. */
  readonly unmatched: number;
  /** The number of unmatched lines for each reason. */
  readonly reasons: Readonly<Partial<Record<UnmatchedReason, number>>>;
  /** Recorded and known settlements of `DEBIT` sessions: money from payors. */
  readonly settled: Total;
  /** Recorded and known returns of `DEBIT` sessions: money that went back to payors. */
  readonly returned: Total;
  /** Recorded and known settlements of `CREDIT` sessions: money to payors. */
  readonly settledOut: Total;
  /** Recorded and known returns of `CREDIT` sessions: money that came back from payors. */
  readonly returnedOut: Total;
  /** Unmatched settlements whose amounts can be read. */
  readonly unmatchedSettled: Total;
  /** Unmatched returns whose amounts can be read. */
  readonly unmatchedReturned: Total;
}

/** Adds up the lines of reconciliation files. */
export class ReconciliationTally {
  readonly #outcomes = { recorded: 0, known: 0, unmatched: 0 };
  readonly #reasons: Partial<Record<UnmatchedReason, number>> = {};
  readonly #sums = {
    settled: { lines: 0, cents: 0n },
    returned: { lines: 0, cents: 0n },
    settledOut: { lines: 0, cents: 0n },
    returnedOut: { lines: 0, cents: 0n },
    unmatchedSettled: { lines: 0, cents: 0n },
    unmatchedReturned: { lines: 0, cents: 0n },
  };

  add(line: Omit<ReconciledLine, 'id'>): void {
    const { outcome, says, reason } = line;
    this.#outcomes[outcome] += 1;
    if (reason !== undefined) this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1;
    if (says === undefined) return;
    const sum = this.#sums[sumOf(says.kind, line)];
    sum.lines += 1;
    sum.cents += BigInt(says.cents);
  }

  get(): ReconciliationTotals {
    const { recorded, known, unmatched } = this.#outcomes;
    const reasons = UNMATCHED_REASONS.map((reason) => [reason, this.#reasons[reason] ?? 0] as const);
    const totals = Object.entries(this.#sums).map(([name, { lines, cents }]) => {
      return [name, { lines, amount: toDecimal(cents) }] as const;
    });
    return {
      lines: recorded + known + unmatched,
      ...this.#outcomes,
      reasons: Object.fromEntries(reasons.filter(([, count]) => count > 0)),
      ...(Object.fromEntries(totals) as Readonly<Record<SumName, Total>>),
    };
  }
}

/** True if all lines are about payments that the ledger does not know or that belong to another account. The file is probably a wrong one. */
export const isStrange = ({ lines, reasons }: ReconciliationTotals): boolean =>
  lines > 0 && (reasons.unknown ?? 0) + (reasons.anotherAccount ?? 0) === lines;

type SumName = 'unmatchedSettled' | 'unmatchedReturned' | `${FileLine['kind']}${'' | 'Out'}`;

function sumOf(kind: FileLine['kind'], { outcome, direction }: Omit<ReconciledLine, 'id'>): SumName {
  if (outcome === 'unmatched') return kind === 'settled' ? 'unmatchedSettled' : 'unmatchedReturned';
  return direction === 'CREDIT' ? `${kind}Out` : kind;
}
