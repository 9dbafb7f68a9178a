import type { RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Sweep } from '../ledger/keeper';
import type { KeyPlan } from '../plan/plan';
import type { Told } from '../service/exchange';

/** A create request of a key that the service has got. Times are milliseconds since 1970. */
export interface KeyCreate {
  readonly atMs: number;
  /** The session that it made; absent where the service has refused it, or never had it. */
  readonly made?: MadeSession;
}

/** A session that the payment service made, by its own log. */
export interface MadeSession {
  readonly sessionId: string;
  /** Dollars: those of the one request for the key, or of the other. */
  readonly amount: number;
  /** Every state that it was in, oldest first. */
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

/** A call that was made for a key, and the error code of its answer. */
export interface KeyCall {
  readonly does: string;
  readonly atMs: number;
  doneAtMs?: number;
  error?: string;
}

/** A run of a workflow that Temporal has dropped. */
export interface DroppedRun {
  readonly atMs: number;
  /** When it began, and when it was closed. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A server was put back to an earlier moment. */
export interface Restore {
  readonly server: 'ledger' | 'temporal';
  /** The moment: the copy was taken then. */
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

/** All that is known of one key of an episode. */
export interface KeyEvidence {
  readonly key: string;
  readonly plan: KeyPlan;
  /** Oldest first. */
  readonly creates: readonly KeyCreate[];
  readonly decisions: readonly DecisionRecord[];
  readonly drops: readonly DroppedRun[];
  /** The ledger's record of it in the end, after a sweep. */
  readonly recorded: RecordedKey;
  /** Oldest first. */
  readonly lost: readonly LostRecord[];
  /** Absent where Temporal has none of its workflows. */
  readonly told?: ToldEnd;
  /** It has not ended though nothing went wrong any more. */
  readonly isStuck: boolean;
  /** Oldest first. */
  readonly calls: readonly KeyCall[];
}
