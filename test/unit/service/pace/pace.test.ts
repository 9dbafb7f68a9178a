import { describe, expect, test } from '@jest/globals';
import { Pace, type CallKind, type Pause } from '../../../../src/service';

// A worker's pace decides for one account when the next call to the payment service may be sent. It pauses calls in an outage, and
// keeps them within a rate limit. A call that would wait too long is turned away: it is refused, and tried again later.
/** Returns a pace on its own clock. By default, its rate does not increase gradually, and waits have no random part. */
function paced(options: { callsPerSecond?: number; random?: number; isGradual?: boolean } = {}) {
  const clock = { nowMs: 1_000_000 };
  const changes: (Pause | undefined)[] = [];
  const { callsPerSecond, random = 0, isGradual = false } = options;
  const pace = new Pace({
    now: () => clock.nowMs,
    random: () => random,
    callsPerSecond,
    isGradual,
    onChange: (pause) => changes.push(pause),
  });
  const sentNow = (kind: CallKind) => ({ kind, sentAtMs: clock.nowMs });
  const answered = (kind: CallKind = 'poll') => {
    pace.answered(sentNow(kind));
  };
  const outage = (times: number, kind: CallKind = 'poll') => {
    const sent = sentNow(kind);
    for (let count = 0; count < times; count += 1) pace.failed(sent, { code: 'SERVICE_FAILED' });
  };
  const limited = (retryAfterMs?: number) => {
    const failure = {
      code: 'SERVICE_RATE_LIMITED',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    } as const;
    pace.failed(sentNow('poll'), failure);
  };
  /** Sends polls until the pace makes one wait, up to this number. Returns how many were sent. */
  const admitted = (calls: number) => {
    let sent = 0;
    for (; sent < calls && pace.waitMs('poll') === 0; sent += 1) pace.sent('poll');
    return sent;
  };
  return { pace, clock, changes, answered, outage, limited, admitted };
}

test('without a limit, no call has to wait', () => {
  expect(paced().admitted(10_000)).toBe(10_000);
});

describe('a configured rate limit', () => {
  test('allows the calls of one second at once, and then as many in each second', () => {
    const { admitted, clock } = paced({ callsPerSecond: 10 });
    expect(admitted(50)).toBe(10);
    clock.nowMs += 500;
    expect(admitted(50)).toBe(5);
    clock.nowMs += 60_000;
    expect(admitted(50)).toBe(10);
  });

  test('makes a call wait until its turn', () => {
    const { pace, clock, admitted } = paced({ callsPerSecond: 0.5 });
    expect(admitted(1)).toBe(1);
    expect(pace.waitMs('create')).toBe(2_000);
    clock.nowMs += 2_000;
    expect(pace.waitMs('create')).toBe(0);
  });

  test('does not delay a cancel, and counts at most as many cancels as it allows calls in a second', () => {
    const { pace, admitted, clock } = paced({ callsPerSecond: 2 });
    pace.sent('cancel');
    expect(admitted(2)).toBe(1);
    for (let count = 0; count < 100; count += 1) pace.sent('cancel');
    expect(pace.waitMs('cancel')).toBe(0);
    clock.nowMs += 2_000;
    expect(admitted(2)).toBe(2);
  });
});

describe('a configured rate limit that changes', () => {
  test('applies at once if it is lower, also to calls that were saved from the second before', () => {
    const { pace, admitted, clock } = paced({ callsPerSecond: 10 });
    pace.limitTo(4);
    expect(admitted(50)).toBe(4);
    clock.nowMs += 1_000;
    expect(admitted(50)).toBe(4);
  });

  test('allows more calls once it is higher', () => {
    const { pace, admitted, clock } = paced({ callsPerSecond: 4 });
    expect(admitted(50)).toBe(4);
    pace.limitTo(10);
    expect(admitted(50)).toBe(0);
    clock.nowMs += 500;
    expect(admitted(50)).toBe(5);
  });
});

describe('calls that the pace turns away', () => {
  test('must wait, in addition, for a random time that grows with the number of such calls, up to a minute', () => {
    const { pace } = paced({ callsPerSecond: 1, random: 1 });
    expect([pace.turnAway(1_000), pace.turnAway(1_000)]).toEqual([2_000, 3_000]);
    for (let count = 0; count < 100; count += 1) pace.turnAway(0);
    expect(pace.turnAway(1_000)).toBe(61_000);
  });
});

describe('an outage of the payment service', () => {
  test('pauses calls after five failures in a row', () => {
    const { outage, answered, pace } = paced();
    outage(4);
    answered();
    outage(4);
    expect(pace.waitMs('poll')).toBe(0);
    outage(1);
    expect(pace.waitMs('poll')).toBe(1_000);
  });

  test('pauses only the kind of calls that fails, polls or creates, and does not pause cancels', () => {
    for (const [failing, other] of [
      ['poll', 'create'],
      ['create', 'poll'],
    ] as const) {
      const { outage, pace } = paced();
      outage(5, failing);
      expect(pace.waitMs(failing)).toBe(1_000);
      expect(pace.waitMs(other)).toBe(0);
      expect(pace.waitMs('cancel')).toBe(0);
    }
  });

  test('without any answer pauses polls and creates, and ends with the first answer', () => {
    const { pace, clock, answered, changes } = paced();
    for (let count = 0; count < 5; count += 1)
      pace.failed({ kind: 'poll', sentAtMs: clock.nowMs }, { code: 'SERVICE_UNREACHABLE' });
    expect(pace.waitMs('create')).toBe(1_000);
    clock.nowMs += 10;
    answered('cancel');
    expect([pace.waitMs('create'), pace.waitMs('poll')]).toEqual([0, 0]);
    expect(changes).toEqual([
      { cause: 'SERVICE_UNREACHABLE', calls: 'creates and polls', forMs: 1_000 },
      undefined,
    ]);
  });

  test('without any answer does not begin if a call was answered between the five failures', () => {
    const { pace, clock, answered, outage } = paced();
    const unreachable = (kind: CallKind) => {
      pace.failed({ kind, sentAtMs: clock.nowMs }, { code: 'SERVICE_UNREACHABLE' });
    };
    for (let hour = 0; hour < 10; hour += 1) {
      unreachable('poll');
      expect(pace.waitMs('create')).toBe(0);
      clock.nowMs += 3_600_000;
      answered('poll');
    }
    outage(4, 'create');
    unreachable('cancel');
    expect([pace.waitMs('create'), pace.waitMs('poll')]).toEqual([1_000, 0]);
  });

  test('of creates begins and continues while polls are answered', () => {
    const { pace, answered, outage } = paced();
    outage(4, 'create');
    answered('poll');
    outage(1, 'create');
    answered('poll');
    expect(pace.waitMs('create')).toBe(1_000);
  });

  test('does not delay a refresh, and the answer to a refresh ends the outage', () => {
    const { outage, pace, answered, clock } = paced();
    outage(5);
    expect(pace.waitMs('refresh')).toBe(0);
    clock.nowMs += 10;
    answered('refresh');
    expect(pace.waitMs('poll')).toBe(0);
  });

  test('allows one call after the pause; if the call fails, the next pause is twice as long, up to a minute', () => {
    const { clock, outage, pace } = paced();
    outage(5);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      expect(pace.waitMs('poll')).toBe(pauseMs);
      clock.nowMs += pauseMs;
      expect(pace.waitMs('poll')).toBe(0);
      outage(1);
    }
  });

  test.each([
    { retryAfterMs: 7_000, pausedMs: 7_000 },
    { retryAfterMs: 0, pausedMs: 100 },
  ])(
    'pauses calls for the time in Retry-After, $retryAfterMs ms, but for at least 100 ms',
    ({ retryAfterMs, pausedMs }) => {
      const { pace, clock } = paced();
      const failure = { code: 'SERVICE_FAILED', retryAfterMs } as const;
      for (let count = 0; count < 5; count += 1)
        pace.failed({ kind: 'poll', sentAtMs: clock.nowMs }, failure);
      expect(pace.waitMs('poll')).toBe(pausedMs);
    },
  );

  test('is reported once at its beginning and once at its end, even if it is long and many calls fail', () => {
    const { outage, changes, clock, answered } = paced();
    outage(200);
    for (let pause = 0; pause < 10; pause += 1) {
      clock.nowMs += 60_000;
      outage(10);
    }
    clock.nowMs += 60_000;
    answered();
    answered();
    expect(changes).toEqual([{ cause: 'SERVICE_FAILED', calls: 'polls', forMs: 1_000 }, undefined]);
  });

  test('is reported again when its cause or the kinds of paused calls change', () => {
    const { outage, changes, clock, answered, limited } = paced();
    limited(7_000);
    outage(5, 'create');
    outage(5, 'poll');
    clock.nowMs += 10_000;
    answered('poll');
    answered('create');
    expect(changes.map((pause) => pause && [pause.cause, pause.calls])).toEqual([
      ['SERVICE_RATE_LIMITED', 'creates and polls'],
      ['SERVICE_FAILED', 'creates'],
      ['SERVICE_FAILED', 'creates and polls'],
      ['SERVICE_FAILED', 'creates'],
      undefined,
    ]);
  });

  test('is not prolonged by calls that were sent before the outage and fail after the pause', () => {
    const { pace, clock, outage } = paced();
    const sentAtMs = clock.nowMs;
    outage(5);
    clock.nowMs += 10_000;
    for (let call = 0; call < 30; call += 1)
      pace.failed({ kind: 'poll', sentAtMs }, { code: 'SERVICE_INTERRUPTED' });
    expect(pace.waitMs('poll')).toBe(0);
  });

  test('does not begin again because of calls that were sent before the outage, even with Retry-After', () => {
    const { pace, clock, outage, answered, changes } = paced();
    const late = { kind: 'poll', sentAtMs: clock.nowMs } as const;
    outage(5);
    clock.nowMs += 1_000;
    answered();
    for (let call = 0; call < 30; call += 1)
      pace.failed(late, { code: 'SERVICE_FAILED', retryAfterMs: 600_000 });
    outage(1);
    expect(pace.waitMs('poll')).toBe(0);
    expect(changes).toEqual([expect.objectContaining({ forMs: 1_000 }), undefined]);
  });

  test('begins again only after five more failures in a row, with the shortest pause', () => {
    const { outage, pace, clock, answered } = paced();
    outage(5);
    clock.nowMs += 1_000;
    outage(1);
    clock.nowMs += 2_000;
    answered();
    outage(4);
    expect(pace.waitMs('poll')).toBe(0);
    outage(1);
    expect(pace.waitMs('poll')).toBe(1_000);
  });
});

describe('the rate of calls increases gradually', () => {
  /** Sends polls as soon as they may be sent, and returns the number of polls in each of the next seconds. */
  const eachSecond = ({ clock, admitted }: ReturnType<typeof paced>, seconds: number) =>
    Array.from({ length: seconds }, () => {
      let sent = 0;
      for (let passedMs = 0; passedMs < 1_000; passedMs += 1) {
        clock.nowMs += 1;
        sent += admitted(100);
      }
      return sent;
    });

  test('after the start of the worker', () => {
    const [first = 0, second = 0] = eachSecond(paced({ isGradual: true }), 2);
    expect(first).toBeGreaterThan(30);
    expect(second).toBeGreaterThan(10_000);
  });

  test('after an outage, so that the polls of thirty sessions are spread over some seconds', () => {
    const side = paced({ isGradual: true });
    eachSecond(side, 2);
    side.outage(5);
    expect(eachSecond(side, 1)).toEqual([1]);
    side.answered();
    const [first = 0, second = 0, third = 0, fourth = 0] = eachSecond(side, 4);
    expect(first).toBeLessThanOrEqual(7);
    expect(second).toBeGreaterThan(first);
    expect(first + second + third).toBeLessThan(40);
    expect(fourth).toBeGreaterThan(30);
  });

  test('after an outage only once a call has been answered; until then, one call a second is allowed', () => {
    const side = paced({ isGradual: true });
    side.outage(5);
    side.clock.nowMs += 1_000;
    expect(eachSecond(side, 3)).toEqual([1, 1, 1]);
  });
});

describe('an answer 429 of the payment service', () => {
  test('pauses creates, refreshes and polls for its Retry-After, but not cancels', () => {
    const { pace, limited, changes } = paced();
    limited(7_000);
    const kinds = ['cancel', 'create', 'refresh', 'poll'] as const;
    expect(kinds.map((kind) => pace.waitMs(kind))).toEqual([0, 7_000, 7_000, 7_000]);
    expect(changes).toEqual([{ cause: 'SERVICE_RATE_LIMITED', calls: 'creates and polls', forMs: 7_000 }]);
  });

  test('without Retry-After pauses calls for a second, and then longer each time', () => {
    const { pace, limited, clock } = paced();
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      limited();
      expect(pace.waitMs('poll')).toBe(pauseMs);
      clock.nowMs += pauseMs;
    }
  });

  test('can lengthen a pause, but not shorten it', () => {
    const { pace, limited, clock } = paced();
    limited(7_000);
    limited(2_000);
    expect(pace.waitMs('poll')).toBe(7_000);
    clock.nowMs += 1_000;
    limited(9_000);
    expect(pace.waitMs('poll')).toBe(9_000);
  });

  test('to a call that was sent before an earlier pause does not pause calls again', () => {
    const { pace, limited, clock, answered } = paced();
    const late = { kind: 'poll', sentAtMs: clock.nowMs } as const;
    limited(1_000);
    clock.nowMs += 1_500;
    answered();
    clock.nowMs += 60_000;
    pace.failed(late, { code: 'SERVICE_RATE_LIMITED', retryAfterMs: 600_000 });
    expect(pace.waitMs('poll')).toBe(0);
  });

  test('within a minute after a pause continues that pause, so the pause is reported once', () => {
    const { limited, answered, clock, changes } = paced();
    for (let time = 0; time < 34; time += 1) {
      limited(1_000);
      clock.nowMs += 1_500;
      answered();
      clock.nowMs += 10_000;
    }
    expect(changes.map((pause) => pause?.cause)).toEqual(['SERVICE_RATE_LIMITED', undefined]);
    clock.nowMs += 60_000;
    limited(1_000);
    expect(changes).toHaveLength(3);
  });

  test('is followed by one call, and then by a rate a little below the rate before the answer', () => {
    const { pace, limited, clock, admitted, answered } = paced();
    for (let call = 0; call < 10; call += 1) answered();
    limited(1_000);
    expect(pace.callsPerSecond).toBeCloseTo(9.2, 1);
    clock.nowMs += 1_000;
    expect(admitted(100)).toBe(1);
  });

  test('makes the rate increase slowly, if the rate before it was measured over some seconds', () => {
    const { pace, limited, clock, answered } = paced();
    const tenASecondFor = (seconds: number) => {
      for (let call = 0; call < 10 * seconds; call += 1) {
        clock.nowMs += 100;
        answered();
      }
    };
    tenASecondFor(1);
    limited(1_000);
    clock.nowMs += 1_000;
    tenASecondFor(12);
    limited(1_000);
    expect(pace.callsPerSecond).toBeGreaterThan(8.8);
    expect(pace.callsPerSecond).toBeLessThan(9.7);
    const resumedAt = pace.callsPerSecond;
    clock.nowMs += 1_000;
    tenASecondFor(5);
    expect(pace.callsPerSecond / resumedAt).toBeGreaterThan(1.03);
    expect(pace.callsPerSecond / resumedAt).toBeLessThan(1.07);
  });
});
