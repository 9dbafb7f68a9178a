import type { SessionResult, SessionState, StateHistoryEntry } from '../../../src';
import type { History } from '../../../testkit/histories/history-json';
import type { Act, SessionPlan } from '../plan/plan';
import type { Exchange, Told } from '../service/exchange';

/** A session that the payment service made, according to the sandbox's data. */
export interface Creation {
  readonly sessionId: string;
  /** True if the session was made for another key, and the operator has named it for this key. */
  readonly isNamed?: true;
  /** Every state that the session had at the service, oldest first. */
  readonly truth: readonly Told[];
  /** The time at which an act of the payor ended the session, in milliseconds since 1970. Absent if only a cancel ended it. */
  readonly overAtMs?: number;
  /** The number of cancels that reached the service. */
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
  /** The number of strikes that may have affected the call. */
  readonly strikes: number;
  /** True if the act is a cancellation that the Temporal server has accepted. Such a cancellation must not be lost. */
  readonly isCancel: boolean;
  /** The error code, or the message of an error without one. */
  readonly error?: string;
  /** True if the answer is not permitted for this act. */
  readonly isWrong: boolean;
}

/** A create activity that the Temporal server has scheduled. Its result came back from the worker or was lost. */
export interface CreateAttempt {
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** The outcome that the Temporal server received; absent if it received none. */
  readonly outcome?: string;
  /** True if the worker's last heartbeat said that it was about to send the create request. */
  readonly isAboutToSend: boolean;
  /** True if the answer was lost, and the created session was found in the ledger. */
  readonly isFound?: true;
}

/** The evidence about one session of an episode, which the invariants check. */
export interface SessionEvidence {
  readonly key: string;
  /** The id of the first run of the session's workflow. */
  readonly firstRunId: string;
  readonly plan: SessionPlan;
  readonly creations: readonly Creation[];
  readonly exchanges: readonly Exchange[];
  readonly acts: readonly ActRecord[];
  readonly ending?: Ending;
  readonly endedAtMs: number;
  /** The time, in milliseconds since 1970, after which nothing failed. All earlier faults had been noticed by then. */
  readonly quietSinceMs: number;
  /** The time, in milliseconds, within which the session must end after `quietSinceMs`. */
  readonly settlesWithinMs: number;
  readonly wasParked: boolean;
  /** True if the list of sessions with the problem `parked` has shown the session. */
  readonly wasFound: boolean;
  /** The session's create activities, oldest first, without those that a reset has undone. */
  readonly attempts: readonly CreateAttempt[];
  /** The number of resets of the session's run. */
  readonly resets: number;
  /** The number of strikes while the session was being created. */
  readonly strikesWhileCreating: number;
  /** The number of strikes while the session ran. */
  readonly strikes: number;
  /** The history of each run of the session, oldest first. */
  readonly histories: readonly History[];
}

/** The invariants, by the letters that reports use. */
export const INVARIANTS = {
  a: 'at most one create per key, unless the policy allows an orphan, and each orphan is recorded',
  b: 'no cancel that was acknowledged is lost',
  c: 'the state history and `paid` agree with the service',
  d: 'no secret and no personal data in plain text',
  e: 'every session ends soon after the last fault, and each parked one is in the list of parked sessions',
  f: 'every history and every beginning of a history replays',
  g: 'no call is made earlier than it may be',
  h: 'queries and cancels are answered whatever happens',
  i: 'no workflow task fails twice for one reason',
  j: 'a session that is paid at the service is reported as paid, and verified until its time is up',
  k: 'one session of the service is paid for one key at most',
  l: 'a possible orphan is recorded for each create that may have succeeded without an answer, and for no other',
  m: 'a key whose session never existed can be used again, and no other key can',
  n: 'no create is sent before the ledger has claimed its key, and none once the ledger knows the session',
  o: 'the ledger’s entries of a key are numbered without a gap, and no fact is twice in a claim',
  p: 'the ledger has the sessions that the service made, and the ends that callers received',
  q: 'a key that Temporal has dropped returns the recorded result, or a conflict, and creates nothing',
  r: 'after a sweep, every session that has ended is recorded',
  s: 'the ledger verifies, with every checkpoint that was made meanwhile',
  t: 'while the ledger is down, no session is created, and open sessions continue and end',
  u: 'no two keys have one session of the service',
  v: 'a key has a second session only by the policy or a decision, and a session that no key follows is recorded',
  w: 'after a sweep, exactly the service’s paid sessions are listed as paid, if either side knows them',
  x: 'each claim belongs to one workflow, and has nothing of another',
  y: 'the list has a row for each claim, equal to the claim’s entries',
  z: 'each line of the service’s files is recorded once, or kept once until it is matched or explained, to the cent',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Violation {
  readonly invariant: Invariant;
  /** The session's key, or the place in which the violation was found. */
  readonly where: string;
  readonly what: string;
}

/** Returns the parts of a session's end that the invariants check. Returns `undefined` if the session has not ended. */
export function told(evidence: Pick<SessionEvidence, 'ending'>) {
  const { ending } = evidence;
  if (ending === undefined) return undefined;
  if (ending.how === 'ended') return { ...ending.result, failed: undefined };
  const { state, stateHistory, code } = ending;
  return { ...state, stateHistory, failed: code };
}
