import type { RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Sweep } from '../ledger/keeper';
import type { KeyPlan } from '../plan/plan';
import type { Told } from '../service/exchange';

/** A create request of a key that the service has received. Times are milliseconds since 1970. */
export interface KeyCreate {
  readonly atMs: number;
  /** The session that it made; absent if the service has refused or never received it. */
  readonly made?: MadeSession;
}

/** A session that the payment service made, by its own log. */
export interface MadeSession {
  readonly sessionId: string;
  /** Dollars: the amount of the first request for the key, or of the other one. */
  readonly amount: number;
  /** Every state that it had, oldest first. */
  readonly truth: readonly Told[];
}

/** A person's decision about a parked key. */
export interface DecisionRecord {
  readonly decision: string;
  /** The session that was named. */
  readonly sessionId?: string;
  readonly atMs: number;
  doneAtMs: number;
}

/** A call about a key, and the error code of its answer. */
export interface KeyCall {
  readonly does: string;
  readonly atMs: number;
  doneAtMs?: number;
  error?: string;
}

/** A run of a workflow that Temporal has dropped. */
export interface DroppedRun {
  readonly atMs: number;
  /** When it began, and when it closed. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A restore of a server to an earlier moment. */
export interface Restore {
  readonly server: 'ledger' | 'temporal';
  /** The moment at which the copy was taken. */
  readonly copiedAtMs: number;
  readonly atMs: number;
}

/** The events that affect all keys of an episode. */
export interface Upheavals {
  /** Oldest first. */
  readonly restores: readonly Restore[];
  readonly sweeps: readonly Sweep[];
}

/** The ledger's record of a key just before its server was restored. */
export interface LostRecord {
  readonly untilMs: number;
  readonly entries: readonly RecordedEntry[];
}

/** The end that callers of a key receive, from its newest workflow. */
export interface ToldEnd {
  readonly sessionId?: string;
  readonly paid: boolean;
  readonly status?: string;
  readonly failure?: string;
}

/** The evidence about one key of an episode. */
export interface KeyEvidence {
  readonly key: string;
  readonly plan: KeyPlan;
  /** Oldest first. */
  readonly creates: readonly KeyCreate[];
  readonly decisions: readonly DecisionRecord[];
  readonly drops: readonly DroppedRun[];
  /** The ledger's record of it at the end, after a sweep. */
  readonly recorded: RecordedKey;
  /** Oldest first. */
  readonly lost: readonly LostRecord[];
  /** Absent if Temporal has none of its workflows. */
  readonly told?: ToldEnd;
  /** True if it has not ended although nothing failed any more. */
  readonly isStuck: boolean;
  /** Oldest first. */
  readonly calls: readonly KeyCall[];
}
