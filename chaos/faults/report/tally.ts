import { told, type SessionEvidence, type Violation } from '../invariants/evidence';
import type { Shrunk } from '../plan/shrink';
import type { Struck } from '../episode/strike-desk';
import type { Crash } from '../processes/fleet';

/** The counts of a campaign. */
export interface Tally {
  sessions: number;
  episodes: number;
  creates: number;
  unknowns: number;
  orphansLeft: number;
  orphansRecorded: number;
  cancels: number;
  parked: number;
  resets: number;
  leftAlone: number;
  /** The numbers of adoptions that were applied and that were refused. */
  adopted: number;
  adoptionsRefused: number;
  /** The number of deadlines that ended or cancelled a session, or that passed while no worker was running. */
  deadlinesPassed: number;
  stuck: number;
  continued: number;
  failed: number;
  readonly acts: Record<string, number>;
  readonly endings: Record<string, number>;
}

export function emptyTally(): Tally {
  return {
    sessions: 0,
    episodes: 0,
    creates: 0,
    unknowns: 0,
    orphansLeft: 0,
    orphansRecorded: 0,
    cancels: 0,
    parked: 0,
    resets: 0,
    leftAlone: 0,
    adopted: 0,
    adoptionsRefused: 0,
    deadlinesPassed: 0,
    stuck: 0,
    continued: 0,
    failed: 0,
    acts: {},
    endings: {},
  };
}

/** Adds one session to the tally. */
export function count(tally: Tally, evidence: SessionEvidence, isLeftAlone = false): void {
  const { creations, exchanges, acts, ending, histories, wasParked } = evidence;
  const known = told(evidence);
  tally.sessions += 1;
  tally.creates += exchanges.filter(({ call }) => call === 'create').length;
  tally.unknowns += exchanges.filter(
    ({ call, isClean, httpStatus }) =>
      call === 'create' && !isClean && httpStatus !== 401 && httpStatus !== 429,
  ).length;
  tally.orphansLeft += creations.filter(({ sessionId }) => sessionId !== known?.sessionId).length;
  tally.orphansRecorded += known?.anomalies.filter(({ kind }) => kind === 'possibleOrphan').length ?? 0;
  tally.cancels += acts.filter(({ isCancel }) => isCancel).length;
  tally.parked += wasParked ? 1 : 0;
  tally.resets += evidence.resets;
  tally.leftAlone += isLeftAlone ? 1 : 0;
  const adoptions = known?.decisions.filter(({ decision }) => decision === 'adopt') ?? [];
  const applied = adoptions.filter(({ result }) => result === 'applied').length;
  tally.adopted += applied;
  tally.adoptionsRefused += adoptions.length - applied;
  tally.deadlinesPassed += hasEndedByDeadline(evidence) || (isLeftAlone && hasDeadline(evidence)) ? 1 : 0;
  tally.stuck += ending === undefined ? 1 : 0;
  tally.continued += Math.max(0, histories.length - 1);
  tally.failed += ending?.how === 'failed' ? 1 : 0;
  for (const { act } of acts) tally.acts[act] = (tally.acts[act] ?? 0) + 1;
  const end = ending === undefined ? 'stuck' : ending.how === 'failed' ? ending.code : ending.result.status;
  tally.endings[end] = (tally.endings[end] ?? 0) + 1;
}

/** True if a session has a short deadline. In an episode with an outage, this deadline has passed, because outages are longer. */
const hasDeadline = ({ plan }: SessionEvidence): boolean => plan.deadline !== undefined;

function hasEndedByDeadline({ ending }: SessionEvidence): boolean {
  if (ending?.how !== 'ended') return false;
  const { cancel, unsigned, unverified } = ending.result;
  return cancel?.by === 'deadline' || unsigned === true || unverified === true;
}

/** A report, as JSON. Times are milliseconds. */
export interface Report {
  readonly seed: number | string;
  readonly minutes: number;
  readonly tally: Tally;
  readonly faults: Readonly<Record<string, number>>;
  readonly strikes: Readonly<Record<string, number>>;
  /** The number of killed processes. */
  readonly kills: number;
  readonly crashed: readonly Crash[];
  readonly replayed: { readonly whole: number; readonly prefixes: number };
  readonly recoveryMs: Quantiles;
  /** The strikes after which the system took longest to answer again, slowest first. */
  readonly slowest: readonly { readonly strike: string; readonly recoveryMs: number }[];
  readonly settlingMs: Quantiles;
  /** The events of the ledger; absent if the workers had no ledger. */
  readonly ledger?: LedgerFigures;
  /** The events of reconciliations; absent if the workers had no ledger. */
  readonly money?: Readonly<Record<string, number>>;
  /** The events of keys that were started again and again; absent if there were none. */
  readonly keys?: Readonly<Record<string, number>>;
  /** The first failing plan in its reduced form, and the number of its failures in further runs. */
  readonly shrunk?: Shrunk;
  readonly violations: readonly Violation[];
}

/** The counts of events in a ledger. */
export interface LedgerFigures {
  entries: number;
  checkpoints: number;
  sweeps: number;
  /** Entries that sweeps have added. */
  swept: number;
  /** Sessions that Temporal dropped, as at the end of their retention. */
  dropped: number;
  /** Keys of dropped sessions that were started again, with the same request and with another. */
  startedAgain: number;
  startedOtherwise: number;
  /** Sessions that were open when the ledger became unavailable for long, and those that were started meanwhile. */
  openMeanwhile: number;
  startedMeanwhile: number;
}

export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}

const SLOWEST = 5;

export function slowestOf(struck: readonly Struck[]): Report['slowest'] {
  return struck
    .map(({ strike, where, recoveryMs = 0 }) => ({ strike: `${strike} ${where}`, recoveryMs }))
    .toSorted((one, other) => other.recoveryMs - one.recoveryMs)
    .slice(0, SLOWEST);
}

export function strikesBy(struck: readonly Struck[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { strike, where } of struck) {
    const name = `${strike} ${where.replace(/ \d+ /, ' ')}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const KILLS: readonly Struck['strike'][] = ['killWorker', 'killTemporal', 'killLedger'];

export const isKill = ({ strike }: Struck): boolean => KILLS.includes(strike);

/** Invariant (h), for workers: no worker ends by itself. */
export const crashViolations = (crashed: readonly Crash[]): readonly Violation[] =>
  crashed.map(({ worker, ending, output }) => ({
    invariant: 'h',
    where: worker,
    what: `the process ended with ${ending}: ${output.slice(0, 300).replaceAll(/\s+/g, ' ')}`,
  }));
