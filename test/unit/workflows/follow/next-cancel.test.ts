import { describe, expect, test } from '@jest/globals';
import type { CallFailure } from '../../../../src/errors/failures';
import { denialsUntil, nextCancel } from '../../../../workflows/follow/cancel';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;

const failure = (code: CallFailure['code'], retryAfterMs?: number): CallFailure => ({
  code,
  message: 'It failed.',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** The waits in seconds, with the jitter in the middle of its range. */
function after(failed: CallFailure | undefined, attempt = 1) {
  const { atMs, allowedAtMs } = nextCancel(failed, { attempt, nowMs: NOW, random: 0.5 });
  return { next: (atMs - NOW) / SECOND, allowed: (allowedAtMs - NOW) / SECOND };
}

describe('the next cancel', () => {
  test('comes later after each attempt, up to a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => after(failure('SERVICE_FAILED'), attempt).next);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test('comes by itself where the worker never got an answer', () => {
    expect(after(undefined)).toEqual({ next: 1, allowed: 0 });
  });

  test('waits for the time that the service asks for, up to a minute, and so does a refresh', () => {
    expect(after(failure('SERVICE_FAILED', 20 * SECOND))).toEqual({ next: 20, allowed: 20 });
    expect(after(failure('SERVICE_FAILED', 600 * SECOND))).toEqual({ next: 60, allowed: 600 });
  });

  test('may be brought forward by a refresh during a pause of the account’s calls', () => {
    expect(after(failure('SERVICE_PAUSED', 20 * SECOND))).toEqual({ next: 20, allowed: 0 });
  });

  test('goes to another worker soon where one lacks the account’s credentials, whatever wait that one asks for', () => {
    const { next, allowed } = after(failure('SERVICE_CREDENTIALS_REJECTED', 300 * SECOND));
    expect([next, allowed]).toEqual([0.5, 0]);
  });
});

test('denials in a row count for the time between them, but for two minutes at most: meanwhile nobody may have read', () => {
  const first = denialsUntil(NOW);
  expect(first.forMs).toBe(0);
  const second = denialsUntil(NOW + 60 * SECOND, first);
  expect(second.forMs).toBe(60 * SECOND);
  expect(denialsUntil(NOW + 7_200 * SECOND, second).forMs).toBe(180 * SECOND);
});
