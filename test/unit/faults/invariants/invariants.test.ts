import { describe, expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { checkEpisode, checkSession } from '../../../../chaos/faults/invariants/all';
import type { CreateAttempt, Invariant, SessionEvidence } from '../../../../chaos/faults/invariants/evidence';
import type { History } from '../../../../testkit/histories/history-json';
import {
  act,
  BEGUN,
  CANCELLED,
  endedAs,
  evidence,
  exchange,
  ID,
  orphan,
  OTHER_ID,
  PAID,
  result,
} from '../../../../chaos/faults/invariants/hand-made';
import { checkTokens } from '../../../../chaos/faults/invariants/pace';
import { checkReuse } from '../../../../chaos/faults/invariants/reuse';
import { checkSecrets } from '../../../../chaos/faults/invariants/secrets';

const { WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR } = temporal.api.enums.v1.WorkflowTaskFailedCause;

const violated = (session: SessionEvidence): Invariant[] => [
  ...new Set(checkSession(session).map(({ invariant }) => invariant)),
];

const cancelled = (changes: object = {}) =>
  result(
    {
      paid: false,
      status: 'Cancelled',
      code: 'EFT0501',
      cancel: { requestedAt: '', by: 'caller', outcome: 'cancelled' },
      ...changes,
    } as never,
    [BEGUN, CANCELLED],
  );
const CANCELLED_TRULY = [{ sessionId: ID, truth: [BEGUN, CANCELLED], cancels: 1 }];
const lostCreate = exchange({ call: 'create', isClean: false, fault: 'resetAfterRead' });
const isAboutToSend = true;
/** A create without an answer, and the next one. */
const lostThenCreated: readonly CreateAttempt[] = [
  { atMs: 900, outcome: 'unknown', isAboutToSend },
  { atMs: 1_100, outcome: 'created', isAboutToSend },
];
const createdLater = exchange({ call: 'create', httpStatus: 201, atMs: 1_200 });
/** A worker was lost with a create, of which the service has seen nothing. */
const lostUnseen = (said: boolean): Partial<SessionEvidence> => ({
  attempts: [
    { atMs: 900, isAboutToSend: said },
    { atMs: 1_100, outcome: 'created', isAboutToSend },
  ],
  exchanges: [createdLater],
  strikesWhileCreating: 1,
});
const SIGNED_TRULY: Partial<SessionEvidence> = {
  creations: [{ sessionId: ID, truth: [BEGUN, { status: 'Completed', code: 'EFT0302' }, PAID], cancels: 0 }],
};
const unsigned = result({ paid: false, code: 'EFT0302' }, [BEGUN, { status: 'Completed', code: 'EFT0302' }]);
const task = (message: string): NonNullable<History['events']>[number] => ({
  workflowTaskFailedEventAttributes: {
    cause: WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
    failure: { message },
  },
});

describe('no invariant is violated by', () => {
  test.each<[string, SessionEvidence]>([
    ['a session that went well', evidence()],
    [
      'a cancel that reached the service',
      endedAs(cancelled(), { creations: CANCELLED_TRULY, acts: [act({ isCancel: true })] }),
    ],
    [
      'an orphan that is recorded',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations],
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a possible orphan that was none',
      endedAs(result({ anomalies: [orphan] }), {
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a complete answer that came late, and that the worker no longer waited for',
      endedAs(result({ anomalies: [orphan] }), {
        exchanges: [exchange({ call: 'create', isLate: true }), createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a create that a person found, whose answer was lost',
      endedAs(result({ decisions: [{ decision: 'adopt', result: 'applied', at: '' }] }), {
        exchanges: [lostCreate],
        attempts: [{ atMs: 900, outcome: 'unknown', isAboutToSend }],
      }),
    ],
    ['a worker that was lost before it sent its create', endedAs(result(), lostUnseen(false))],
    [
      'a worker that was lost when it was about to send',
      endedAs(result({ anomalies: [orphan] }), lostUnseen(true)),
    ],
    [
      'a create that a person has repeated after a reset, and says so',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN, PAID], cancels: 0 }, ...evidence().creations],
        resets: 1,
        acts: [act({ act: 'decision' })],
      }),
    ],
    [
      'another key’s session that a person named',
      endedAs(result({ sessionId: OTHER_ID }), {
        creations: [
          { sessionId: ID, truth: [BEGUN], cancels: 0 },
          { sessionId: OTHER_ID, isNamed: true, truth: [BEGUN, PAID], cancels: 0 },
        ],
      }),
    ],
    [
      'a lie that was recorded as it was told, and the truth after it',
      endedAs(result({}, [BEGUN, { status: 'Settling', code: 'EFT0101' }, BEGUN, PAID]), {
        exchanges: [exchange({ fault: 'unknownStatus', told: { status: 'Settling', code: 'EFT0101' } })],
      }),
    ],
  ])('%s', (_name, session) => {
    expect(checkSession(session)).toEqual([]);
  });
});

describe('a violation is caught:', () => {
  test.each<[Invariant, string, SessionEvidence]>([
    [
      'a',
      'a second create that nobody recorded',
      evidence({ creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations] }),
    ],
    ['a', 'a possible orphan where every create was answered', endedAs(result({ anomalies: [orphan] }))],
    [
      'a',
      'a session of somebody else',
      endedAs(cancelled({ sessionId: OTHER_ID }), { creations: CANCELLED_TRULY }),
    ],
    [
      'b',
      'a cancel that was taken and forgotten',
      endedAs(cancelled({ cancel: undefined }), {
        creations: CANCELLED_TRULY,
        acts: [act({ isCancel: true })],
      }),
    ],
    [
      'b',
      'a cancel that never reached the service',
      endedAs(cancelled(), { creations: [{ sessionId: ID, truth: [BEGUN, CANCELLED], cancels: 0 }] }),
    ],
    [
      'b',
      'a cancel without an outcome',
      endedAs(cancelled({ cancel: { requestedAt: '', by: 'caller' } }), { creations: CANCELLED_TRULY }),
    ],
    [
      'b',
      'a cancel that is said to have lost to a completion that was none',
      endedAs(cancelled({ cancel: { requestedAt: '', by: 'caller', outcome: 'lostToCompletion' } }), {
        creations: CANCELLED_TRULY,
      }),
    ],
    ['c', 'a state twice', endedAs(result({}, [BEGUN, BEGUN, PAID]))],
    ['c', 'a state that goes backwards', endedAs(result({}, [BEGUN, PAID, BEGUN]))],
    [
      'c',
      'a state that never was',
      endedAs(result({}, [BEGUN, { status: 'Expired', code: 'EFT0601' }, PAID])),
    ],
    [
      'c',
      'paid without the signature',
      endedAs(result(), {
        creations: [{ sessionId: ID, truth: [BEGUN, { status: 'Completed', code: 'EFT0302' }], cancels: 0 }],
      }),
    ],
    ['c', 'a payment that is not told', endedAs(result({ paid: false }))],
    ['j', 'a payment that is reported as not signed', endedAs(unsigned, SIGNED_TRULY)],
    ['j', 'a session that is given up unverified', endedAs({ ...unsigned, unverified: true })],
    [
      'j',
      'a payment whose session failed',
      evidence({
        ending: {
          how: 'failed',
          code: 'SERVICE_SESSION_UNKNOWN',
          state: { ...result({ paid: false }), phase: 'ended' } as never,
          stateHistory: [],
        },
      }),
    ],
    [
      'l',
      'a create without an answer that nobody claims',
      endedAs(result(), { exchanges: [lostCreate, createdLater], attempts: lostThenCreated }),
    ],
    [
      'l',
      'a create that is claimed twice',
      endedAs(result({ anomalies: [orphan, orphan] }), {
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'l',
      'a possible orphan where nothing was sent',
      endedAs(result({ anomalies: [orphan] }), lostUnseen(false)),
    ],
    [
      'l',
      'an answer that was lost with its worker, and is not claimed',
      endedAs(result(), {
        exchanges: [exchange({ call: 'create', httpStatus: 201 }), createdLater],
        attempts: [{ atMs: 900, isAboutToSend }, ...lostThenCreated.slice(1)],
        strikesWhileCreating: 1,
      }),
    ],
    [
      'l',
      'a create that is repeated after a reset in silence',
      endedAs(result(), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations],
        resets: 1,
        acts: [act({ act: 'decision' })],
      }),
    ],
    [
      'a',
      'a create that no person has repeated after a reset',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN, PAID], cancels: 0 }, ...evidence().creations],
        resets: 1,
      }),
    ],
    ['e', 'a session that is stuck', { ...evidence(), ending: undefined } as never],
    ['e', 'a session that takes too long', evidence({ endedAtMs: 7_001 })],
    ['e', 'a parked session that no list shows', evidence({ wasParked: true })],
    [
      'g',
      'a call that does not wait',
      evidence({
        exchanges: [
          exchange({ httpStatus: 429, retryAfterMs: 1_000, endedAtMs: 1_000 }),
          exchange({ atMs: 1_500 }),
        ],
      }),
    ],
    [
      'g',
      'a loop of polls',
      evidence({ exchanges: Array.from({ length: 20 }, (_, index) => exchange({ atMs: 1_000 + index })) }),
    ],
    ['h', 'a query without an answer for long', evidence({ acts: [act({ doneMs: 60_000 })] })],
    [
      'h',
      'an answer that it should not have got',
      evidence({ acts: [act({ isWrong: true, error: 'INVALID_INPUT' })] }),
    ],
    [
      'i',
      'a workflow task that fails for the same reason again',
      evidence({ histories: [{ events: [task('broken'), task('broken')] }] }),
    ],
  ])('(%s) %s', (invariant, _name, session) => {
    expect(violated(session)).toContain(invariant);
  });

  test('(k) one payment that two keys report', () => {
    const own = evidence();
    const other = evidence({ key: 'f-2' });
    expect(checkEpisode([own, other])).toEqual([
      { invariant: 'k', where: 'f-1', what: 'one payment is reported by f-1, f-2' },
    ]);
    expect(checkEpisode([own, endedAs(result({ sessionId: OTHER_ID }), { key: 'f-2' })])).toEqual([]);
    expect(checkEpisode([own, endedAs(unsigned, { key: 'f-2' })])).toEqual([]);
  });

  test('(m) a key that cannot be used again, though its session never was; and one that can, though it may be', () => {
    const cancel = { requestedAt: '', by: 'caller', outcome: 'neverCreated' };
    const never = cancelled({ cancel, sessionId: undefined });
    const nothing = endedAs(never, { creations: [], exchanges: [], attempts: [] });
    expect(checkReuse(nothing, { isBegun: true })).toEqual([]);
    expect(checkReuse(nothing, { isBegun: false })).toMatchObject([{ invariant: 'm' }]);
    for (const maybe of [
      evidence(),
      { ...nothing, ...endedAs({ ...never, anomalies: [orphan] }, { creations: [] }) },
      { ...nothing, creations: evidence().creations },
      { ...nothing, resets: 1 },
    ]) {
      expect(checkReuse(maybe, { isBegun: false })).toEqual([]);
      expect(checkReuse(maybe, { isBegun: true })).toMatchObject([{ invariant: 'm' }]);
    }
  });

  test('(d) a secret in a form that hides it', () => {
    const secrets = { 'access token': ['Zq0123456789abcdef'] };
    const held = Buffer.from(`…${Buffer.from('{Zq0123456789abcdef}').toString('base64')}…`);
    expect(checkSecrets('worker log', held, secrets)).toEqual([
      { invariant: 'd', where: 'worker log', what: 'holds the access token' },
    ]);
  });

  test('(g) a token for each call', () => {
    const calls = Array.from({ length: 5 }, () => exchange({ call: 'authorize' }));
    expect(checkTokens(calls, 1)).toMatchObject([{ invariant: 'g', where: 'w0-1' }]);
  });
});
