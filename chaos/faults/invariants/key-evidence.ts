import type { RecordedEntry, RecordedKey } from '../ledger/recorded';
import type { Sweep } from '../ledger/keeper';
import type { KeyPlan } from '../plan/plan';
import type { Told } from '../service/exchange';

/** A create request of a key that a worker has sent. Times are milliseconds since 1970. */
export interface KeyCreate {
  readonly atMs: number;
  /** The session that the request made; absent if the service refused or never received the request. */
  readonly made?: MadeSession;
}

/** A session that the payment service made, according to the service's data. */
export interface MadeSession {
  readonly sessionId: string;
  /** The amount in dollars. It shows which of the key's two requests made the session. */
  readonly amount: number;
  /** Every state that the session had at the service, oldest first. */
  readonly truth: readonly Told[];
}

/** A person's decision about a parked key. */
export interface DecisionRecord {
  readonly decision: string;
  /** The session that the person named. */
  readonly sessionId?: string;
  readonly atMs: number;
  doneAtMs: number;
}

/** A caller's call about a key, and the error code of its answer. */
export interface KeyCall {
  readonly does: string;
  readonly atMs: number;
  doneAtMs?: number;
  error?: string;
}

/** A workflow run that Temporal has dropped, as at the end of its retention. */
export interface DroppedRun {
  readonly atMs: number;
  /** The start and the end of the run. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A restore: a server was started with a copy of its data from an earlier moment. */
export interface Restore {
  readonly server: 'ledger' | 'temporal';
  /** The moment at which the copy was taken. */
  readonly copiedAtMs: number;
  readonly atMs: number;
}

/** The restores and sweeps, which affect all keys of an episode. */
export interface Upheavals {
  /** Oldest first. */
  readonly restores: readonly Restore[];
  readonly sweeps: readonly Sweep[];
}

/** The ledger's record of a key just before the ledger was restored to an earlier moment. */
export interface LostRecord {
  /** The time of the restore. */
  readonly untilMs: number;
  readonly entries: readonly RecordedEntry[];
}

/** The end that callers of a key receive. It comes from the key's newest workflow. */
export interface ReceivedEnd {
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
  /** The ledger's record of the key at the end, after a sweep. */
  readonly recorded: RecordedKey;
  /** The ledger's record of the key just before each restore of the ledger, oldest first. */
  readonly lost: readonly LostRecord[];
  /** Absent if Temporal has no workflow of the key. */
  readonly told?: ReceivedEnd;
  /** True if the key's workflow or claim did not end in time after the last fault. */
  readonly isStuck: boolean;
  /** Oldest first. */
  readonly calls: readonly KeyCall[];
}
