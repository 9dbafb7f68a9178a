import { describe, expect, test } from '@jest/globals';
import type { CallFailure } from '../../../../src/errors/failures';
import { denialsUntil, nextCancel } from '../../../../workflows/follow/cancel';
import { newRecord } from '../../../../workflows/record/session-record';
import { Session } from '../../../../workflows/session';
import { eft } from '../../../support/requests';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;

const failure = (code: CallFailure['code'], retryAfterMs?: number): CallFailure => ({
  code,
  message: 'It failed.',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** Returns the wait for the next cancel request (`next`), and the wait until a refresh may send it earlier (`allowed`), in seconds. */
function after(failed: CallFailure | undefined, attempt = 1) {
  const { atMs, allowedAtMs } = nextCancel(failed, { attempt, nowMs: NOW, random: 0.5 });
  return { next: (atMs - NOW) / SECOND, allowed: (allowedAtMs - NOW) / SECOND };
}

describe('the cancel request after a failed cancel request', () => {
  test('comes later after each attempt, up to a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => after(failure('SERVICE_FAILED'), attempt).next);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test('also comes if the first request did not fail, but did not end the session', () => {
    expect(after(undefined)).toEqual({ next: 1, allowed: 0 });
  });

  test('waits for the service’s Retry-After, but at most a minute, while a refresh waits for the whole Retry-After', () => {
    expect(after(failure('SERVICE_FAILED', 20 * SECOND))).toEqual({ next: 20, allowed: 20 });
    expect(after(failure('SERVICE_FAILED', 600 * SECOND))).toEqual({ next: 60, allowed: 600 });
  });

  test('may be sent earlier by a refresh during a pause of the account’s calls', () => {
    expect(after(failure('SERVICE_PAUSED', 20 * SECOND))).toEqual({ next: 20, allowed: 0 });
  });

  test('comes soon, for another worker, if a worker’s credentials were rejected, even if that worker must wait', () => {
    const { next, allowed } = after(failure('SERVICE_CREDENTIALS_REJECTED', 300 * SECOND));
    expect([next, allowed]).toEqual([0.5, 0]);
  });
});

test('successive answers that deny a session count for the time between them, but at most two minutes each', () => {
  const first = denialsUntil(NOW);
  expect(first.forMs).toBe(0);
  const second = denialsUntil(NOW + 60 * SECOND, first);
  expect(second.forMs).toBe(60 * SECOND);
  expect(denialsUntil(NOW + 7_200 * SECOND, second).forMs).toBe(180 * SECOND);
});

test('successive answers that deny a session are counted on by the run that continues the session as new', () => {
  const input = { key: 'order-1', request: eft() };
  const first = new Session(input, newRecord(NOW, { kind: 'EFT' }));
  first.denials = denialsUntil(NOW);
  const second = new Session(input, first.carriedRecord);
  expect(second.denials).toEqual({ forMs: 0, atMs: NOW });
  second.denials = undefined;
  expect(new Session(input, second.carriedRecord).denials).toBeUndefined();
});
