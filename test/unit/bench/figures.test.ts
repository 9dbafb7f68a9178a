import { describe, expect, test } from '@jest/globals';
import { counterSum } from '../../../bench/figures/prometheus';
import { mean, quantile, spread } from '../../../bench/figures/quantiles';
import { checkRatios } from '../../../bench/figures/ratios';
import { asMarkdown, asText, tableOf } from '../../../bench/report/table';
import { cpuBetween, withoutIdle } from '../../../bench/workloads/cpu-window';

describe('quantiles', () => {
  const values = Array.from({ length: 20 }, (_, index) => 20 - index);

  test('are values that were measured: those of the nearest rank', () => {
    expect(quantile(values, 0.5)).toBe(10);
    expect(quantile(values, 0.95)).toBe(19);
    expect(quantile(values, 0.99)).toBe(20);
    expect(quantile([7], 0.01)).toBe(7);
  });

  test('come with the count and the mean', () => {
    expect(spread([4, 1, 1])).toEqual({ count: 3, mean: 2, p50: 1, p95: 4, p99: 4 });
  });

  test('of no values are refused, as is their mean', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => mean([])).toThrow(RangeError);
  });
});

describe('a counter of a Prometheus page', () => {
  const page = [
    '# HELP temporal_request Count of client request successes by rpc name',
    'temporal_request{namespace="default",operation="RecordActivityTaskHeartbeat",worker="a"} 40',
    'temporal_request{namespace="other",operation="RecordActivityTaskHeartbeat"} 2',
    'temporal_request{operation="RecordActivityTaskHeartbeatById"} 100',
    'temporal_request_attempt{operation="RecordActivityTaskHeartbeat"} 1000',
  ].join('\n');

  test('is the sum of the lines that have exactly its name and its label', () => {
    expect(counterSum(page, 'temporal_request', 'operation="RecordActivityTaskHeartbeat"')).toBe(42);
  });

  test('is 0 if the page does not have it', () => {
    expect(counterSum('', 'temporal_request', 'operation="RecordActivityTaskHeartbeat"')).toBe(0);
  });
});

describe('the CPU time of a measurement', () => {
  const use = cpuBetween(
    { atMs: 1_000, temporalMs: 100, workerMs: 10 },
    { atMs: 11_000, temporalMs: 900, workerMs: 30 },
  );

  test('is the difference of two readings', () => {
    expect(use).toEqual({ seconds: 10, temporalMs: 800, workerMs: 20 });
  });

  test('is reduced by the idle use for as many seconds, and is never negative', () => {
    const idle = { seconds: 2, temporalMs: 40, workerMs: 100 };
    expect(withoutIdle(use, idle)).toEqual({ seconds: 10, temporalMs: 600, workerMs: 0 });
  });
});

describe('the ratio of a figure of paysession to the baseline’s', () => {
  const sides = {
    paysession: { events: 30, delayMs: { p50: 100 } },
    baseline: { events: 60, delayMs: { p50: 1_000 } },
  };

  test('passes if it is as expected, or worse by at most a fifth', () => {
    const checked = checkRatios(sides, { events: 0.42, 'delayMs.p50': 0.2 });
    expect(checked.map(({ isOff }) => isOff)).toEqual([false, false]);
    expect(checked.map(({ measured }) => measured)).toEqual([0.5, 0.1]);
  });

  test('fails if it is worse by more than a fifth, or less than half of the expected ratio', () => {
    expect(checkRatios(sides, { events: 0.41 })[0]?.isOff).toBe(true);
    expect(checkRatios(sides, { events: 1.1 })[0]?.isOff).toBe(true);
  });

  test('fails if it cannot be computed', () => {
    const nothing = { paysession: { events: 0 }, baseline: { events: 0 } };
    expect(checkRatios(nothing, { events: 1 })[0]?.isOff).toBe(true);
    expect(() => checkRatios(sides, { eventz: 1 })).toThrow('there is no figure eventz');
  });
});

describe('a table of the bench', () => {
  test('of two sides has their ratio, and has only figures with a label, in the order of the labels', () => {
    const paysession = { events: 33, cpuMs: 1.25, delayMs: { p50: 1.5, count: 9 } };
    expect(tableOf({ paysession, baseline: { events: 52, cpuMs: 0 } })).toEqual([
      ['', 'paysession', 'baseline', 'ratio'],
      ['CPU per session, server and worker (ms)', '1.25', '0', ''],
      ['history events per session', '33', '52', '0.63'],
      ['detection delay, p50 (ms)', '1.50', '', ''],
    ]);
  });

  test('has a column of targets if there are any', () => {
    const sides = { paysession: { events: 33, cpuMs: 1 }, baseline: { events: 66, cpuMs: 2 } };
    expect(tableOf(sides, { cpuMs: '≤ 0.36' })).toEqual([
      ['', 'paysession', 'baseline', 'ratio', 'target'],
      ['CPU per session, server and worker (ms)', '1', '2', '0.50', '≤ 0.36'],
      ['history events per session', '33', '66', '0.50', ''],
    ]);
  });

  test('of paysession and the floor has the ratio to the floor', () => {
    expect(tableOf({ paysession: { cpuMs: 3 }, floor: { cpuMs: 2 } }, { cpuMs: '≤ 1.10' })).toEqual([
      ['', 'paysession', 'floor', 'ratio', 'target'],
      ['CPU per session, server and worker (ms)', '3', '2', '1.50', '≤ 1.10'],
    ]);
  });

  test('of paysession and its peers has a ratio to each peer', () => {
    expect(tableOf({ paysession: { cpuMs: 3 }, dbos: { cpuMs: 2 }, restate: { cpuMs: 1 } })).toEqual([
      ['', 'paysession', 'dbos', 'restate', 'ratio to dbos', 'ratio to restate'],
      ['CPU per session, server and worker (ms)', '3', '2', '1', '1.50', '3.00'],
    ]);
  });

  test('of levels of load has a column for each level', () => {
    const rows = tableOf([{ openSessions: 1_000 }, { openSessions: 5_000 }]);
    expect(asMarkdown(rows)).toBe(
      [
        '|               | level 1 | level 2 |',
        '| ------------- | ------: | ------: |',
        '| open sessions |   1,000 |   5,000 |',
      ].join('\n'),
    );
  });

  test('of levels of load has the target of the last level', () => {
    expect(tableOf([{ workerKib: 373 }, { workerKib: 92 }], { workerKib: '≤ 80 KiB' })).toEqual([
      ['', 'level 1', 'level 2', 'target'],
      ['memory of the worker per open session (KiB)', '373', '92', '≤ 80 KiB'],
    ]);
  });

  test('of console pages has a column for each page', () => {
    const pages = { overview: { pageMs: { p95: 12.5 } }, list: { pageMs: { p95: 8.25 } } };
    expect(tableOf({ sessions: 50_000, pages })).toEqual([
      ['', 'overview', 'list'],
      ['time from the request to the whole page, p95 (ms)', '12.5', '8.25'],
    ]);
  });

  test('has right-aligned numbers if it is printed as text', () => {
    expect(
      asText([
        ['', 'a'],
        ['events', '1,000'],
      ]),
    ).toBe('            a\nevents  1,000');
  });
});
