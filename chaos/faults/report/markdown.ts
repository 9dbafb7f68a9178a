import { INVARIANTS, type Invariant } from '../invariants/evidence';
import type { LedgerFigures, Report } from './tally';

const MOST_VIOLATIONS = 50;

/** Returns a report as Markdown, for people. */
export function markdownOf(report: Report): string {
  const {
    tally,
    faults,
    strikes,
    recoveryMs,
    slowest,
    settlingMs,
    replayed,
    violations,
    ledger,
    money,
    keys,
  } = report;
  const fired = Object.values(faults).reduce((sum, count) => sum + count, 0);
  return [
    `# Fault campaign, seed ${report.seed}`,
    '',
    `${tally.sessions} sessions in ${tally.episodes} episodes, ${report.minutes} minutes: ${fired} HTTP faults fired, ${report.kills} processes killed, ${violations.length} violations.`,
    '',
    ...table('Figure', {
      'creates sent': tally.creates,
      'creates with an unknown outcome': tally.unknowns,
      'sessions left at the service': tally.orphansLeft,
      'possible orphans recorded': tally.orphansRecorded,
      'cancels accepted': tally.cancels,
      'sessions parked': tally.parked,
      'runs reset': tally.resets,
      'sessions left without workers or server': tally.leftAlone,
      'sessions adopted': tally.adopted,
      'adoptions refused': tally.adoptionsRefused,
      'deadlines passed': tally.deadlinesPassed,
      'runs continued as new': tally.continued,
      stuck: tally.stuck,
      'histories replayed': replayed.whole,
      'beginnings of histories replayed': replayed.prefixes,
      'recovery p50, ms': recoveryMs.p50,
      'recovery p99, ms': recoveryMs.p99,
      'settling p50, ms': settlingMs.p50,
      'settling p99, ms': settlingMs.p99,
      'workers that ended by themselves': report.crashed.length,
    }),
    ...(ledger === undefined ? [] : table('Ledger', ledgerRows(ledger))),
    ...(money === undefined ? [] : table('Money', money)),
    ...(keys === undefined ? [] : table('Keys that were started again and again', keys)),
    ...table('Ending', tally.endings),
    ...table('HTTP fault', faults),
    ...table('Process fault', strikes),
    '| Slowest recovery | ms |',
    '| --- | ---: |',
    ...slowest.map(({ strike, recoveryMs: ms }) => `| ${strike} | ${ms} |`),
    '',
    ...table('Call', tally.acts),
    '## Violations',
    '',
    ...(Object.keys(INVARIANTS) as Invariant[]).map((letter) => {
      const count = violations.filter(({ invariant }) => invariant === letter).length;
      const held = isChecked(letter, report) ? 'held' : 'not checked';
      return `- (${letter}) ${INVARIANTS[letter]}: ${count === 0 ? held : `violated ${count} times`}`;
    }),
    '',
    ...violations
      .slice(0, MOST_VIOLATIONS)
      .map(({ invariant, where, what }) => `- (${invariant}) ${where}: ${what}`),
    '',
  ].join('\n');
}

/** The invariants that are checked only with a ledger. Those of `WITH_LEDGER_OR_KEYS` are also checked in episodes of keys. */
const ONLY_WITH_LEDGER: readonly Invariant[] = ['q', 'r', 't', 'z'];
const WITH_LEDGER_OR_KEYS: readonly Invariant[] = ['n', 'o', 'p', 's', 'u', 'x', 'y'];
/** The invariants that are checked only in episodes of keys. */
const ONLY_WITH_KEYS: readonly Invariant[] = ['v', 'w'];

function isChecked(letter: Invariant, { replayed, ledger, keys }: Report): boolean {
  if (ONLY_WITH_KEYS.includes(letter)) return keys !== undefined;
  if (WITH_LEDGER_OR_KEYS.includes(letter) && keys !== undefined) return true;
  if (letter === 'f') return replayed.whole > 0 && replayed.prefixes > 0;
  if (letter === 'q') return ledger !== undefined && ledger.startedAgain > 0 && ledger.startedOtherwise > 0;
  if (letter === 't') return ledger !== undefined && ledger.openMeanwhile > 0 && ledger.startedMeanwhile > 0;
  if (letter === 's') return ledger !== undefined && ledger.checkpoints > 0;
  return ledger !== undefined || ![...ONLY_WITH_LEDGER, ...WITH_LEDGER_OR_KEYS].includes(letter);
}

const ledgerRows = (ledger: LedgerFigures): Record<string, number> => ({
  'entries of the ledger': ledger.entries,
  'checkpoints made': ledger.checkpoints,
  sweeps: ledger.sweeps,
  'entries that sweeps have added': ledger.swept,
  'sessions that Temporal dropped': ledger.dropped,
  'of these, started again with the same request': ledger.startedAgain,
  'of these, started again with another request': ledger.startedOtherwise,
  'sessions that were open when the ledger went down for long': ledger.openMeanwhile,
  'sessions that were started while it was down for long': ledger.startedMeanwhile,
});

function table(title: string, rows: Readonly<Record<string, number>>): string[] {
  const lines = Object.entries(rows).map(([name, count]) => `| ${name} | ${count} |`);
  return [`| ${title} | Count |`, '| --- | ---: |', ...lines, ''];
}
