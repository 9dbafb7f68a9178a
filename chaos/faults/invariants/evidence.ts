import type { SessionResult, SessionState, StateHistoryEntry } from '../../../src';
import type { History } from '../../../testkit/histories/history-json';
import type { Act, SessionPlan } from '../plan/plan';
import type { Exchange, Told } from '../service/exchange';

/** A session that the payment service made, by its own audit log. */
export interface Creation {
  readonly sessionId: string;
  /** It was made for another key, and a person named it for this one. */
  readonly isNamed?: true;
  /** Every true state that it had, oldest first. */
  readonly truth: readonly Told[];
  /** The time when its payor, or a deadline, ended it, in milliseconds since 1970. Absent if only a cancel did. */
  readonly overAtMs?: number;
  /** Cancels that reached the service. */
  readonly cancels: number;
}

/** The end of a session, in the form that its callers receive. */
export type Ending =
  | { readonly how: 'ended'; readonly result: SessionResult }
  | {
      readonly how: 'failed';
      readonly code: string;
      readonly state: SessionState;
      readonly stateHistory: readonly StateHistoryEntry[];
    };

/** A caller's act. */
export interface ActRecord {
  readonly act: Act | 'start' | 'probe' | 'decision' | 'startAgain';
  readonly atMs: number;
  readonly doneMs: number;
  /** The number of strikes that it may have met. */
  readonly strikes: number;
  /** True if the Temporal server has accepted a cancel, which must not be lost. */
  readonly isCancel: boolean;
  /** The error code, or the message of an error without one. */
  readonly error?: string;
  /** An answer that it must not get. */
  readonly isWrong: boolean;
}

/** A create in the Temporal server's view: a worker received it, and its answer came back or was lost. */
export interface CreateAttempt {
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** The outcome that the Temporal server received; absent if none. */
  readonly outcome?: string;
  /** True if the worker has recorded that it was about to send. */
  readonly isAboutToSend: boolean;
  /** True if its answer was lost, and the ledger had it. */
  readonly isFound?: true;
}

/** All that is known of one session of an episode. */
export interface SessionEvidence {
  readonly key: string;
  /** The first run of its workflow. */
  readonly firstRunId: string;
  readonly plan: SessionPlan;
  readonly creations: readonly Creation[];
  readonly exchanges: readonly Exchange[];
  readonly acts: readonly ActRecord[];
  readonly ending?: Ending;
  readonly endedAtMs: number;
  /** When nothing failed any more, and earlier faults could be noticed. */
  readonly quietSinceMs: number;
  /** The longest time for the session from then on, in milliseconds. */
  readonly settlesWithinMs: number;
  readonly wasParked: boolean;
  /** True if the list of sessions with the problem `parked` has shown it. */
  readonly wasFound: boolean;
  /** Oldest first; without those of runs that were reset. */
  readonly attempts: readonly CreateAttempt[];
  /** The number of resets of its run. */
  readonly resets: number;
  /** The number of strikes at processes while it was being created. */
  readonly strikesWhileCreating: number;
  /** The number of strikes at processes, and changes of keys, in its life. */
  readonly strikes: number;
  /** The history of each of its runs, oldest first. */
  readonly histories: readonly History[];
}

/** The invariants, by the letters that reports use. */
export const INVARIANTS = {
  a: 'at most one create a key, unless the policy allows an orphan, and each orphan is recorded',
  b: 'no cancel that was acknowledged is lost',
  c: 'the state history is what the service says, and so is paid',
  d: 'no secret and no personal data in the clear',
  e: 'every session settles, or is plainly parked and findable',
  f: 'every history and every beginning of one replays',
  g: 'no call is made sooner than it may be',
  h: 'queries and cancels are answered whatever happens',
  i: 'no workflow task fails twice for one reason',
  j: 'a session that is paid at the service is reported as paid, and verified until its time is up',
  k: 'one session of the service is paid for one key at most',
  l: 'as many possible orphans are claimed as there may be, and none where nothing was sent',
  m: 'a key whose session never came to exist can be used again, and no other',
  n: 'no create is sent before the ledger has claimed its key, and none once it knows the session',
  o: 'the ledger’s entries of a session are numbered without a gap, and no fact is there twice',
  p: 'the ledger has the sessions that the service made, and the ends that callers received',
  q: 'a key that Temporal has dropped gives the recorded result again, or a conflict, and creates nothing',
  r: 'after a sweep, every session that has ended is recorded',
  s: 'the ledger verifies, with every checkpoint that was made meanwhile',
  t: 'while the ledger is away for long no session is created, and those that are open go on and end',
  u: 'no two keys have one session of the service',
  v: 'a key has a second session only as the policy or a person decided, and one that is left is recorded',
  w: 'what is paid at the service, and no more, is listed as paid after a sweep, if either side knows it',
  x: 'each claim is of one workflow, and has nothing of another',
  y: 'the list has each claim as its entries say',
  z: 'each line of the service’s files is recorded once, or kept once until it is matched or explained, to the cent',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  readonly invariant: Invariant;
  /** The session's key, or the place of the finding. */
  readonly where: string;
  readonly what: string;
}

/** Returns the part of an end that every invariant reads. */
export function told(evidence: Pick<SessionEvidence, 'ending'>) {
  const { ending } = evidence;
  if (ending === undefined) return undefined;
  if (ending.how === 'ended') return { ...ending.result, failed: undefined };
  const { state, stateHistory, code } = ending;
  return { ...state, stateHistory, failed: code };
}
