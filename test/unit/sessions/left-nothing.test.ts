import { describe, expect, test } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../../src/errors';
import type { FailureDetails, SessionResult } from '../../../src/protocol/state/session';
import { leftNothing } from '../../../src/protocol/state/ended';

const state = (more: object = {}) => ({ anomalies: [], ...more });
const failed = (failure: ErrorCode | undefined, more?: object) =>
  leftNothing({ failure, details: { state: state(more), stateHistory: [] } as unknown as FailureDetails });
const ended = (more: object) => leftNothing({ result: state(more) as unknown as SessionResult });
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

  test('only if no earlier create request may have created one, and the record is not full', () => {
    for (const kind of ['possibleOrphan', 'recordFull'])
      expect([
        failed('CREATE_DEADLINE_PASSED', anomaly(kind)),
        ended({ ...anomaly(kind), ...NEVER }),
      ]).toEqual([false, false]);
    expect(failed('SERVICE_REQUEST_REJECTED', { sessionId: 'a' })).toBe(false);
  });

  test('if it failed without details because of its input', () => {
    expect(leftNothing({ failure: 'INVALID_INPUT' })).toBe(true);
    expect(leftNothing({ failure: 'SERVICE_REQUEST_REJECTED' })).toBe(false);
  });

  test('if it was cancelled before its create request, and not after any other end', () => {
    expect(ended(NEVER)).toBe(true);
    for (const outcome of ['possiblyCreated', 'cancelled', 'alreadyEnded', undefined])
      expect(ended({ cancel: { outcome } })).toBe(false);
    expect(ended({})).toBe(false);
  });
});

const NEVER = { cancel: { outcome: 'neverCreated' } };
