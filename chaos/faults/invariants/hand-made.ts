import type { SessionResult } from '../../../src';
import type { ListedClaim, RecordedEntry } from '../ledger/recorded';
import type { Exchange, Told } from '../service/exchange';
import type { ActRecord, SessionEvidence } from './evidence';
import type { KeyEvidence } from './key-evidence';

/** Evidence of sessions that violate no invariant, written by hand. The tests of the invariants change parts of it. */

export const ID = '3f0e8b1c-0000-4000-8000-000000000001';
export const OTHER_ID = '3f0e8b1c-0000-4000-8000-000000000002';
export const BEGUN: Told = { status: 'Initiated', code: 'EFT0101' };
export const PAID: Told = { status: 'Completed', code: 'EFT0301' };
export const CANCELLED: Told = { status: 'Cancelled', code: 'EFT0501' };

export const exchange = (changes: Partial<Exchange> = {}): Exchange => ({
  worker: 'w0-1',
  call: 'details',
  session: 'f-1',
  occurrence: 1,
  atMs: 1_000,
  endedAtMs: 1_010,
  httpStatus: 200,
  isProcessed: true,
  isClean: true,
  ...changes,
});

export const act = (changes: Partial<ActRecord> = {}): ActRecord => ({
  act: 'probe',
  atMs: 1_000,
  doneMs: 1_100,
  strikes: 0,
  isCancel: false,
  isWrong: false,
  ...changes,
});

export function result(
  changes: Partial<Omit<SessionResult, 'stateHistory'>> = {},
  states: readonly Told[] = [BEGUN, PAID],
): SessionResult {
  return {
    key: 'f-1',
    kind: 'EFT',
    referenceId: 'f-1',
    paid: true,
    status: 'Completed',
    code: 'EFT0301',
    sessionId: ID,
    checkoutUrl: 'http://127.0.0.1/app/',
    anomalies: [],
    decisions: [],
    stateHistory: states.map((state) => ({
      ...state,
      firstSeenAt: '2026-01-01T00:00:00.000Z',
      source: 'poll',
    })),
    ...changes,
  } as SessionResult;
}

export const orphan = { kind: 'possibleOrphan', detail: 'create 1', at: '2026-01-01T00:00:00.000Z' } as const;

export function evidence(changes: Partial<SessionEvidence> = {}): SessionEvidence {
  return {
    key: 'f-1',
    firstRunId: 'run-1',
    plan: {
      kind: 'EFT',
      onUnknownCreate: 'retry',
      opens: true,
      hasPage: false,
      payor: [],
      faults: [],
      strikes: [],
      acts: [],
      sharesReference: false,
      decision: 'retry',
    },
    creations: [{ sessionId: ID, truth: [BEGUN, PAID], cancels: 0 }],
    exchanges: [
      exchange({ call: 'create', httpStatus: 201 }),
      exchange({ atMs: 1_500 }),
      exchange({ atMs: 2_000 }),
    ],
    acts: [],
    ending: { how: 'ended', result: result() },
    endedAtMs: 3_000,
    quietSinceMs: 2_000,
    settlesWithinMs: 5_000,
    wasParked: false,
    wasFound: false,
    attempts: [{ atMs: 900, outcome: 'created', isAboutToSend: true }],
    resets: 0,
    strikesWhileCreating: 0,
    strikes: 0,
    histories: [],
    ...changes,
  };
}

/** Returns the evidence of a session with this result. */
export const endedAs = (ended: SessionResult, changes: Partial<SessionEvidence> = {}): SessionEvidence =>
  evidence({ ending: { how: 'ended', result: ended }, ...changes });

/** Returns an entry of the first claim. */
export const entry = (changes: Partial<RecordedEntry> = {}): RecordedEntry => ({
  number: 1,
  claim: 1,
  id: `${changes.kind ?? 'claimed'}:${changes.number ?? 1}`,
  kind: 'claimed',
  atMs: 1_000,
  body: { firstRunId: 'run-1' },
  committedAtMs: 990,
  ...changes,
});

/**
 * Returns the ledger's entries of a session without a violation. `changes` changes single entries, by their numbers. The create request is
 * sent at 1,000 ms.
 */
export function entries(
  changes: Readonly<Record<number, Partial<RecordedEntry>>> = {},
): readonly RecordedEntry[] {
  const bodies: Readonly<Record<string, RecordedEntry['body']>> = {
    claimed: { firstRunId: 'run-1' },
    opened: { sessionId: ID, how: 'create' },
    ended: { firstRunId: 'run-1', paid: true, ...PAID },
  };
  return ['claimed', 'opened', 'state', 'state', 'ended'].map((kind, index) => {
    const state = { number: index - 1, ...(index === 2 ? BEGUN : PAID) };
    const at = { atMs: 990 + index * 100, committedAtMs: 990 + index * 100 };
    return entry({ number: index + 1, kind, body: bodies[kind] ?? state, ...at, ...changes[index + 1] });
  });
}

/** Returns the row of this session's claim in the ledger's list. */
export const row = (changes: Partial<ListedClaim> = {}): ListedClaim => ({
  claim: 1,
  firstRunId: 'run-1',
  stands: true,
  listed: true,
  outcome: 'ended',
  status: 'Completed',
  paid: true,
  sessionId: ID,
  ...changes,
});

/** Returns the evidence of a key that was started once and paid. */
export const keyEvidence = (changes: Partial<KeyEvidence> = {}): KeyEvidence => ({
  key: 'f-1',
  plan: { onUnknownCreate: 'park', faults: [], strikes: [] },
  creates: [{ atMs: 1_000, made: { sessionId: ID, amount: 25, truth: [BEGUN, PAID] } }],
  decisions: [],
  drops: [],
  recorded: { entries: entries(), claims: [row()] },
  lost: [],
  told: { sessionId: ID, paid: true, status: 'Completed' },
  isStuck: false,
  calls: [],
  ...changes,
});
