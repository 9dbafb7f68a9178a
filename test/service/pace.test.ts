import { describe, expect, test } from '@jest/globals';
import { Pace, type Pause } from '../../src/service';

/** A pace on a clock of its own; calls that are turned away are not spread. */
function paced(options: { callsPerSecond?: number; random?: number } = {}) {
  const clock = { nowMs: 0 };
  const changes: (Pause | undefined)[] = [];
  const { callsPerSecond, random = 0 } = options;
  const pace = new Pace({
    now: () => clock.nowMs,
    random: () => random,
    ...(callsPerSecond !== undefined && { callsPerSecond }),
    onChange: (pause) => changes.push(pause),
  });
  const outage = (times: number) => {
    for (let count = 0; count < times; count += 1) pace.failed({ code: 'SERVICE_FAILED' });
  };
  /** How many of so many calls are let through now. */
  const admitted = (calls: number) =>
    Array.from({ length: calls }, () => pace.ask()).filter((ms) => ms === 0).length;
  return { pace, clock, changes, outage, admitted };
}

describe('without a limit', () => {
  test('every call is let through', () => {
    expect(paced().admitted(10_000)).toBe(10_000);
  });
});

describe('a rate limit', () => {
  test('lets through one second of calls at once, then as many a second', () => {
    const { admitted, clock } = paced({ callsPerSecond: 10 });
    expect(admitted(50)).toBe(10);
    clock.nowMs += 500;
    expect(admitted(50)).toBe(5);
    clock.nowMs += 60_000;
    expect(admitted(50)).toBe(10);
  });

  test('tells when to ask again', () => {
    const { pace, clock } = paced({ callsPerSecond: 0.5 });
    expect(pace.ask()).toBe(0);
    expect(pace.ask()).toBe(2_000);
    clock.nowMs += 2_000;
    expect(pace.ask()).toBe(0);
  });

  test('spreads the calls that it turns away, up to a minute', () => {
    const { pace, admitted } = paced({ callsPerSecond: 1, random: 1 });
    admitted(1);
    expect([pace.ask(), pace.ask()]).toEqual([2_000, 3_000]);
    admitted(1_000);
    expect(pace.ask()).toBe(61_000);
  });

  test('never holds back a cancel, and counts it', () => {
    const { pace, admitted, clock } = paced({ callsPerSecond: 2 });
    pace.pass();
    expect(admitted(2)).toBe(1);
    for (let count = 0; count < 100; count += 1) pace.pass();
    clock.nowMs += 2_000;
    expect(admitted(2)).toBe(2);
  });
});

describe('an outage', () => {
  test('pauses calls after five failures in a row, not before', () => {
    const { outage, admitted, pace } = paced();
    outage(4);
    pace.succeeded();
    outage(4);
    expect(admitted(3)).toBe(3);
    outage(1);
    expect(pace.ask()).toBe(1_000);
  });

  test.each(['SERVICE_REQUEST_REJECTED', 'SERVICE_SESSION_UNKNOWN', 'SERVICE_FORBIDDEN'] as const)(
    'is not what %s tells: the service answered',
    (code) => {
      const { pace, admitted, outage } = paced();
      outage(4);
      pace.failed({ code });
      outage(4);
      expect(admitted(3)).toBe(3);
    },
  );

  test('lets one call through after the pause; where that fails, pauses twice as long, up to a minute', () => {
    const { clock, outage, admitted, pace, changes } = paced();
    outage(5);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      expect(changes.at(-1)).toEqual({ cause: 'SERVICE_FAILED', forMs: pauseMs });
      clock.nowMs += pauseMs - 1;
      expect(pace.ask()).toBe(1);
      clock.nowMs += 1;
      expect(admitted(10)).toBe(1);
      outage(1);
    }
  });

  test('counts once, however many calls were under way when it began', () => {
    const { outage, changes, pace } = paced();
    outage(200);
    expect(changes).toHaveLength(1);
    expect(pace.ask()).toBe(1_000);
  });

  test('is over gradually: each call that succeeds lets more through, until all are again', () => {
    const { outage, pace, clock, admitted, changes } = paced();
    outage(5);
    clock.nowMs += 1_000;
    const rates = Array.from({ length: 12 }, () => {
      const calls = admitted(1_000);
      for (let call = 0; call < Math.min(calls, 2); call += 1) pace.succeeded();
      clock.nowMs += 1_000;
      return calls;
    });
    expect(rates.slice(0, 5)).toEqual([1, 3, 6, 15, 34]);
    expect(rates.at(-1)).toBe(1_000);
    expect(changes).toEqual([{ cause: 'SERVICE_FAILED', forMs: 1_000 }, undefined]);
  });

  test('takes five failures in a row again, once a call has succeeded', () => {
    const { outage, pace, clock, changes } = paced();
    outage(5);
    clock.nowMs += 1_000;
    pace.succeeded();
    outage(4);
    expect(changes.map((pause) => pause?.forMs)).toEqual([1_000, undefined]);
    outage(1);
    expect(changes.map((pause) => pause?.forMs)).toEqual([1_000, undefined, 1_000]);
  });

  test.each([undefined, 1])('that is over forgets how long it was, with the limit %p', (callsPerSecond) => {
    const { outage, pace, clock, changes } = paced({
      ...(callsPerSecond !== undefined && { callsPerSecond }),
    });
    outage(5);
    clock.nowMs += 1_000;
    outage(1);
    clock.nowMs += 2_000;
    pace.succeeded();
    outage(5);
    expect(changes.map((pause) => pause?.forMs)).toEqual([1_000, 2_000, undefined, 1_000]);
  });

  test('comes back to the account’s own limit, not above it', () => {
    const { outage, pace, clock, admitted } = paced({ callsPerSecond: 5 });
    outage(5);
    clock.nowMs += 1_000;
    for (let call = 0; call < 20; call += 1) pace.succeeded();
    clock.nowMs += 60_000;
    expect(admitted(100)).toBe(5);
  });
});

describe('a limit of the service', () => {
  test('pauses all calls at once, as long as it asks', () => {
    const { pace, changes } = paced();
    pace.failed({ code: 'SERVICE_RATE_LIMITED', retryAfterMs: 7_000 });
    expect(pace.ask()).toBe(7_000);
    expect(changes).toEqual([{ cause: 'SERVICE_RATE_LIMITED', forMs: 7_000 }]);
  });

  test('lengthens a pause, and never shortens it', () => {
    const { pace } = paced();
    pace.failed({ code: 'SERVICE_RATE_LIMITED', retryAfterMs: 7_000 });
    pace.failed({ code: 'SERVICE_RATE_LIMITED', retryAfterMs: 2_000 });
    expect(pace.ask()).toBe(7_000);
    pace.failed({ code: 'SERVICE_RATE_LIMITED', retryAfterMs: 9_000 });
    expect(pace.ask()).toBe(9_000);
  });
});
