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

// The letters in the test names are the invariants of chaos/faults/README.md.
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
const CANCELLED_AT_SERVICE = [{ sessionId: ID, truth: [BEGUN, CANCELLED], cancels: 1 }];
const lostCreate = exchange({ call: 'create', isClean: false, fault: 'resetAfterRead' });
const isAboutToSend = true;
/** A create request without an answer, and the next request, which creates the session. */
const lostThenCreated: readonly CreateAttempt[] = [
  { atMs: 900, outcome: 'unknown', isAboutToSend },
  { atMs: 1_100, outcome: 'created', isAboutToSend },
];
const createdLater = exchange({ call: 'create', httpStatus: 201, atMs: 1_200 });
/**
 * Evidence of a worker that was lost during a create activity. The service has not received the request. `wasAboutToSend` is
 * true if the worker had announced the request.
 */
const lostBeforeSending = (wasAboutToSend: boolean): Partial<SessionEvidence> => ({
  attempts: [
    { atMs: 900, isAboutToSend: wasAboutToSend },
    { atMs: 1_100, outcome: 'created', isAboutToSend },
  ],
  exchanges: [createdLater],
  strikesWhileCreating: 1,
});
const SIGNED_AT_SERVICE: Partial<SessionEvidence> = {
  creations: [{ sessionId: ID, truth: [BEGUN, { status: 'Completed', code: 'EFT0302' }, PAID], cancels: 0 }],
};
const unsigned = result({ paid: false, code: 'EFT0302' }, [BEGUN, { status: 'Completed', code: 'EFT0302' }]);
const task = (message: string): NonNullable<History['events']>[number] => ({
  workflowTaskFailedEventAttributes: {
    cause: WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
    failure: { message },
  },
});

describe('the check of a session finds no violation in', () => {
  test.each<[string, SessionEvidence]>([
    ['a session that went well', evidence()],
    [
      'a cancel that reached the service',
      endedAs(cancelled(), { creations: CANCELLED_AT_SERVICE, acts: [act({ isCancel: true })] }),
    ],
    [
      'a second session whose possible orphan is recorded',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations],
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a possible orphan that does not exist at the service',
      endedAs(result({ anomalies: [orphan] }), {
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a complete answer to a create request that came after the worker had stopped waiting',
      endedAs(result({ anomalies: [orphan] }), {
        exchanges: [exchange({ call: 'create', isLate: true }), createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'a session that a person adopted after the answer to its create request was lost',
      endedAs(result({ decisions: [{ decision: 'adopt', result: 'applied', at: '' }] }), {
        exchanges: [lostCreate],
        attempts: [{ atMs: 900, outcome: 'unknown', isAboutToSend }],
      }),
    ],
    ['a worker that was lost before it sent its create request', endedAs(result(), lostBeforeSending(false))],
    [
      'a worker that was lost when it was about to send its create request',
      endedAs(result({ anomalies: [orphan] }), lostBeforeSending(true)),
    ],
    [
      'a second create request that a person ordered after a reset, with a recorded possible orphan',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN, PAID], cancels: 0 }, ...evidence().creations],
        resets: 1,
        acts: [act({ act: 'decision' })],
      }),
    ],
    [
      'an adopted session of another key, which a person named',
      endedAs(result({ sessionId: OTHER_ID }), {
        creations: [
          { sessionId: ID, truth: [BEGUN], cancels: 0 },
          { sessionId: OTHER_ID, isNamed: true, truth: [BEGUN, PAID], cancels: 0 },
        ],
      }),
    ],
    [
      'a recorded wrong status that the service reported, and the true status after it',
      endedAs(result({}, [BEGUN, { status: 'Settling', code: 'EFT0101' }, BEGUN, PAID]), {
        exchanges: [exchange({ fault: 'unknownStatus', told: { status: 'Settling', code: 'EFT0101' } })],
      }),
    ],
  ])('%s', (_name, session) => {
    expect(checkSession(session)).toEqual([]);
  });
});

describe('the check of a session or an episode finds', () => {
  test.each<[Invariant, string, SessionEvidence]>([
    [
      'a',
      'a second created session without a recorded possible orphan',
      evidence({ creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations] }),
    ],
    [
      'a',
      'a possible orphan although every create request was answered',
      endedAs(result({ anomalies: [orphan] })),
    ],
    [
      'a',
      'a result with another key’s session',
      endedAs(cancelled({ sessionId: OTHER_ID }), { creations: CANCELLED_AT_SERVICE }),
    ],
    [
      'b',
      'a cancel that was accepted and is not in the result',
      endedAs(cancelled({ cancel: undefined }), {
        creations: CANCELLED_AT_SERVICE,
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
      endedAs(cancelled({ cancel: { requestedAt: '', by: 'caller' } }), { creations: CANCELLED_AT_SERVICE }),
    ],
    [
      'b',
      'a cancel with the outcome lostToCompletion of a session that did not complete',
      endedAs(cancelled({ cancel: { requestedAt: '', by: 'caller', outcome: 'lostToCompletion' } }), {
        creations: CANCELLED_AT_SERVICE,
      }),
    ],
    ['c', 'a state that is recorded twice in a row', endedAs(result({}, [BEGUN, BEGUN, PAID]))],
    ['c', 'an earlier state after a later one', endedAs(result({}, [BEGUN, PAID, BEGUN]))],
    [
      'c',
      'a recorded state that the service never had',
      endedAs(result({}, [BEGUN, { status: 'Expired', code: 'EFT0601' }, PAID])),
    ],
    [
      'c',
      'a result that is paid although the agreement is not signed',
      endedAs(result(), {
        creations: [{ sessionId: ID, truth: [BEGUN, { status: 'Completed', code: 'EFT0302' }], cancels: 0 }],
      }),
    ],
    [
      'c',
      'a result that is not paid although the service’s session is paid',
      endedAs(result({ paid: false })),
    ],
    ['j', 'a payment that is reported as not signed', endedAs(unsigned, SIGNED_AT_SERVICE)],
    ['j', 'a session that is given up unverified', endedAs({ ...unsigned, unverified: true })],
    [
      'j',
      'a failed workflow although the service’s session is paid',
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
      'a create request without an answer, for which no possible orphan is recorded',
      endedAs(result(), { exchanges: [lostCreate, createdLater], attempts: lostThenCreated }),
    ],
    [
      'l',
      'two possible orphans for one create request',
      endedAs(result({ anomalies: [orphan, orphan] }), {
        exchanges: [lostCreate, createdLater],
        attempts: lostThenCreated,
      }),
    ],
    [
      'l',
      'a possible orphan although nothing was sent',
      endedAs(result({ anomalies: [orphan] }), lostBeforeSending(false)),
    ],
    [
      'l',
      'the loss of a worker and its create request’s answer, without a recorded possible orphan',
      endedAs(result(), {
        exchanges: [exchange({ call: 'create', httpStatus: 201 }), createdLater],
        attempts: [{ atMs: 900, isAboutToSend }, ...lostThenCreated.slice(1)],
        strikesWhileCreating: 1,
      }),
    ],
    [
      'l',
      'a second create request after a reset without a recorded possible orphan',
      endedAs(result(), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN], cancels: 0 }, ...evidence().creations],
        resets: 1,
        acts: [act({ act: 'decision' })],
      }),
    ],
    [
      'a',
      'a second create request after a reset without a person’s decision',
      endedAs(result({ anomalies: [orphan] }), {
        creations: [{ sessionId: OTHER_ID, truth: [BEGUN, PAID], cancels: 0 }, ...evidence().creations],
        resets: 1,
      }),
    ],
    ['e', 'a session that never ends', { ...evidence(), ending: undefined } as never],
    ['e', 'a session that takes too long', evidence({ endedAtMs: 7_001 })],
    ['e', 'a parked session that no list shows', evidence({ wasParked: true })],
    [
      'g',
      'a call that does not wait for Retry-After',
      evidence({
        exchanges: [
          exchange({ httpStatus: 429, retryAfterMs: 1_000, endedAtMs: 1_000 }),
          exchange({ atMs: 1_500 }),
        ],
      }),
    ],
    [
      'g',
      'polls without an interval',
      evidence({ exchanges: Array.from({ length: 20 }, (_, index) => exchange({ atMs: 1_000 + index })) }),
    ],
    ['h', 'a query that is not answered for a minute', evidence({ acts: [act({ doneMs: 60_000 })] })],
    [
      'h',
      'a query or cancel with a wrong answer',
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

  test('(m) a key that is taken after a session that never existed, and a key that is free after a session that may exist', () => {
    const cancel = { requestedAt: '', by: 'caller', outcome: 'neverCreated' };
    const never = cancelled({ cancel, sessionId: undefined });
    const neverExisted = endedAs(never, { creations: [], exchanges: [], attempts: [] });
    expect(checkReuse(neverExisted, { isBegun: true })).toEqual([]);
    expect(checkReuse(neverExisted, { isBegun: false })).toMatchObject([{ invariant: 'm' }]);
    for (const mayExist of [
      evidence(),
      { ...neverExisted, ...endedAs({ ...never, anomalies: [orphan] }, { creations: [] }) },
      { ...neverExisted, creations: evidence().creations },
      { ...neverExisted, resets: 1 },
    ]) {
      expect(checkReuse(mayExist, { isBegun: false })).toEqual([]);
      expect(checkReuse(mayExist, { isBegun: true })).toMatchObject([{ invariant: 'm' }]);
    }
  });

  test('(d) a secret that is encoded, such as in base64', () => {
    const secrets = { 'access token': ['Zq0123456789abcdef'] };
    const log = Buffer.from(`…${Buffer.from('{Zq0123456789abcdef}').toString('base64')}…`);
    expect(checkSecrets('worker log', log, secrets)).toEqual([
      { invariant: 'd', where: 'worker log', what: 'holds the access token' },
    ]);
  });

  test('(g) a worker that gets another token for each call', () => {
    const calls = Array.from({ length: 5 }, () => exchange({ call: 'authorize' }));
    expect(checkTokens(calls, 1)).toMatchObject([{ invariant: 'g', where: 'w0-1' }]);
  });
});
