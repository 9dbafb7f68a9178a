import type { Report, Tally } from './tally';

export type Counts = Readonly<Record<string, number>>;

/**
 * Joins the reports of two campaigns that ran next to each other. Adds all counts, and joins the lists of crashed workers and violations.
 * The figures about keys are those of the second report. The reduced plan is that of the first report that has one. Everything else is from
 * the first report: seed, durations, slowest strikes, ledger and money.
 */
export function merged(first: Report, beside: Report): Report {
  return {
    ...first,
    tally: mergedTallies(first.tally, beside.tally),
    faults: added(first.faults, beside.faults),
    strikes: added(first.strikes, beside.strikes),
    kills: first.kills + beside.kills,
    crashed: [...first.crashed, ...beside.crashed],
    replayed: {
      whole: first.replayed.whole + beside.replayed.whole,
      prefixes: first.replayed.prefixes + beside.replayed.prefixes,
    },
    ...(beside.keys && { keys: beside.keys }),
    ...(beside.shrunk && { shrunk: first.shrunk ?? beside.shrunk }),
    violations: [...first.violations, ...beside.violations],
  };
}

function mergedTallies({ acts, endings, ...first }: Tally, beside: Tally): Tally {
  const { acts: _acts, endings: _endings, ...others } = beside;
  return {
    ...(added(first, others) as typeof first),
    acts: added(acts, beside.acts),
    endings: added(endings, beside.endings),
  };
}

export function added(first: Counts, second: Counts): Record<string, number> {
  const sums: Record<string, number> = { ...first };
  for (const [name, count] of Object.entries(second)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
