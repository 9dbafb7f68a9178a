import { describe, expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import type { History } from '../../../testkit/history-json';
import { checkSession } from './all';
import type { Invariant, SessionEvidence } from './evidence';
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
} from './hand-made';
import { checkTokens } from './pace';
import { checkSecrets } from './secrets';

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
        exchanges: [lostCreate],
      }),
    ],
    [
      'a possible orphan that was none',
      endedAs(result({ anomalies: [orphan] }), { exchanges: [lostCreate, ...evidence().exchanges] }),
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
