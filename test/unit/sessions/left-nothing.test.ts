import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../../src/errors';
import type { FailureDetails, SessionResult } from '../../../src/protocol/state/session';
import { wasNeverCreated } from '../../../src/protocol/state/ended';

// `wasNeverCreated` is true if a session certainly never existed at the payment service. Then its key can be used again.
const state = (more: object = {}) => ({ anomalies: [], ...more });
const failed = (failure: ErrorCode | undefined, more?: object) =>
  wasNeverCreated({
    failure,
    details: { state: state(more), stateHistory: [] } as unknown as FailureDetails,
  });
const ended = (more: object) => wasNeverCreated({ result: state(more) as unknown as SessionResult });
const anomaly = (kind: string) => ({ anomalies: [{ kind }] });

describe('a session certainly never existed at the payment service', () => {
  test('if it failed with one of a few codes', () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    expect(codes.filter((code) => failed(code)).toSorted()).toEqual([
      'CREATE_DEADLINE_PASSED',
      'INVALID_INPUT',
      'INVALID_REQUEST',
      'SERVICE_FORBIDDEN',
      'SERVICE_REQUEST_REJECTED',
      'SESSION_CONFLICT',
    ]);
    expect(failed(undefined)).toBe(false);
  });

  test('only if no earlier create request may have created a session, and the session’s record is not full', () => {
    for (const kind of ['possibleOrphan', 'recordFull'])
      expect([
        failed('CREATE_DEADLINE_PASSED', anomaly(kind)),
        ended({ ...anomaly(kind), ...NEVER }),
      ]).toEqual([false, false]);
    expect(failed('SERVICE_REQUEST_REJECTED', { sessionId: 'a' })).toBe(false);
  });

  test('if it failed without details because of its input', () => {
    expect(wasNeverCreated({ failure: 'INVALID_INPUT' })).toBe(true);
    expect(wasNeverCreated({ failure: 'SERVICE_REQUEST_REJECTED' })).toBe(false);
  });

  test('if it was cancelled before its create request, but not after another end', () => {
    expect(ended(NEVER)).toBe(true);
    for (const outcome of ['possiblyCreated', 'cancelled', 'alreadyEnded', undefined])
      expect(ended({ cancel: { outcome } })).toBe(false);
    expect(ended({})).toBe(false);
  });
});

const NEVER = { cancel: { outcome: 'neverCreated' } };
