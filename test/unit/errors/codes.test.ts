import { describe, expect, test } from '@jest/globals';
import { HandlerError, OperationError } from 'nexus-rpc';
import { ApplicationFailure } from '@temporalio/common';
import { exitCodeOf } from '../../../cli/shared/exit-codes';
import {
  ERROR_CODES,
  PaysessionError,
  ServiceError,
  type ErrorCode,
  type ServiceErrorCode,
} from '../../../src/errors';
import { toNexusError } from '../../../worker/nexus-handlers';
import { toApplicationFailure } from '../../../activities/activity-attempt';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const isOfService = (code: ErrorCode): code is ServiceErrorCode => code.startsWith('SERVICE_');

const errorOf = (code: ErrorCode, retryAfterMs?: number): PaysessionError =>
  isOfService(code)
    ? new ServiceError({ code, message: 'no', ...(retryAfterMs !== undefined && { retryAfterMs }) })
    : new PaysessionError(code, 'no');

/** Groups the error codes by a property of each code. */
function grouped<Key extends string | number>(
  keyOf: (code: ErrorCode) => Key,
): Partial<Record<Key, ErrorCode[]>> {
  const groups: Partial<Record<Key, ErrorCode[]>> = {};
  for (const code of CODES) (groups[keyOf(code)] ??= []).push(code);
  return groups;
}

/** An error of another version of the package, which has more codes. */
const unknown = new PaysessionError('SERVICE_ON_HOLIDAY' as ErrorCode, 'no');

describe('the meaning and the remedy of each code', () => {
  test.each(CODES)('%s is explained in whole sentences', (code) => {
    const { meaning, remedy } = ERROR_CODES[code];
    for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the exit code of the command line', () => {
  test('is fixed for each error code, because scripts rely on it', () => {
    const { 6: rest, ...codes } = grouped((code) => exitCodeOf(errorOf(code)));
    expect(codes).toEqual({
      2: [
        'INVALID_REQUEST',
        'INVALID_FILTER',
        'INVALID_SETTINGS',
        'RUNTIME_UNSUPPORTED',
        'INVALID_FILE',
        'PORT_IN_USE',
        'FOLDER_IN_USE',
        'ENCRYPTION_KEY_MISSING',
        'ENCRYPTION_TAMPERED',
        'ENCRYPTION_REQUIRED',
        'HISTORY_UNREADABLE',
      ],
      3: ['SESSION_NOT_FOUND', 'WEBHOOK_ENDPOINT_UNKNOWN'],
      4: [
        'SESSION_CONFLICT',
        'SESSION_MISMATCH',
        'SESSION_FOLLOWED',
        'CREATE_OUTCOME_UNKNOWN',
        'INVALID_INPUT',
      ],
      5: [
        'SESSION_STILL_OPENING',
        'CANCEL_PENDING',
        'SESSION_BUSY',
        'SESSION_CONTINUED',
        'SESSION_UPDATE_LIMIT',
        'SESSION_MAYBE_FOLLOWED',
        'TEMPORAL_UNAVAILABLE',
        'LEDGER_UNAVAILABLE',
        'LEDGER_REFUSED',
        'LEDGER_DATABASE_UNFIT',
        'LEDGER_SCHEMA_OUTDATED',
        'LEDGER_SCHEMA_NEWER',
        'TEMPORAL_REFUSED',
        'TEMPORAL_BUSY',
        'TEMPORAL_NOT_FOUND',
        'TEMPORAL_STUCK',
        'TESTED_CODE_FAILED',
        'SEARCH_ATTRIBUTES_MISSING',
        'SEARCH_ATTRIBUTES_MISTYPED',
        'WORKER_UNAVAILABLE',
        'SERVICE_UNREACHABLE',
      ],
      8: ['LEDGER_TAMPERED'],
    });
    expect(rest).toContain('SERVICE_CREDENTIALS_REJECTED');
  });

  test('is 1, as after an unexpected error, for an unknown error code', () => {
    expect(exitCodeOf(unknown)).toBe(1);
  });
});

describe('a Nexus call', () => {
  const kindOf = (error: unknown) => {
    const nexusError = toNexusError(error);
    if (nexusError instanceof HandlerError) return nexusError.type;
    return nexusError instanceof OperationError ? 'failed' : 'notConverted';
  };

  test('is refused if the error code is about the call itself; with any other code, its operation fails', () => {
    const { failed, ...refused } = grouped((code) => kindOf(errorOf(code)));
    expect(refused).toEqual({
      BAD_REQUEST: ['INVALID_REQUEST', 'SESSION_CONFLICT', 'INVALID_INPUT'],
      NOT_FOUND: ['SESSION_NOT_FOUND'],
      UNAVAILABLE: [
        'TEMPORAL_UNAVAILABLE',
        'LEDGER_UNAVAILABLE',
        'LEDGER_REFUSED',
        'LEDGER_DATABASE_UNFIT',
        'LEDGER_SCHEMA_OUTDATED',
        'LEDGER_SCHEMA_NEWER',
        'TEMPORAL_BUSY',
        'WORKER_UNAVAILABLE',
      ],
    });
    expect(failed).toContain('SERVICE_CREDENTIALS_REJECTED');
  });

  test('fails its operation if the error code is unknown', () => {
    expect(kindOf(unknown)).toBe('failed');
  });
});

describe('a failed activity', () => {
  const isRepeated = (error: unknown) => {
    const failure = toApplicationFailure(error);
    return failure instanceof ApplicationFailure && failure.nonRetryable !== true;
  };

  test('is tried again if the cause of its error code may pass', () => {
    const repeated = CODES.filter((code) => isRepeated(errorOf(code)));
    const final = CODES.filter((code) => isOfService(code) && !repeated.includes(code));
    expect(repeated.filter((code) => !isOfService(code))).toEqual([
      'TEMPORAL_UNAVAILABLE',
      'LEDGER_UNAVAILABLE',
      'LEDGER_REFUSED',
      'LEDGER_DATABASE_UNFIT',
      'LEDGER_SCHEMA_OUTDATED',
      'LEDGER_SCHEMA_NEWER',
      'ENCRYPTION_KEY_MISSING',
      'ENCRYPTION_TAMPERED',
      'ENCRYPTION_REQUIRED',
      'WORKER_UNAVAILABLE',
    ]);
    expect(final).toEqual(['SERVICE_CREDENTIALS_REJECTED']);
  });

  test('is not tried again if the service asks for a wait: the workflow itself waits, and shows the wait', () => {
    expect(CODES.filter((code) => isOfService(code) && isRepeated(errorOf(code, 1_000)))).toEqual([]);
  });
});
