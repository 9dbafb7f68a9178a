import { beforeEach, describe, expect, test } from '@jest/globals';
import { noopMetricMeter } from '@temporalio/common';
import { SessionMetrics } from '../../../workflows/record/metrics';
import { Session } from '../../../workflows/session';
import { eft } from '../../support/requests';
import { newRecord, type SessionRecord } from '../../../workflows/record/session-record';

const counted: { readonly name: string; readonly labels: object }[] = [];

/** Returns a function for a meter, which records each call with its labels. */
const keep =
  (name: string) =>
  (_: number, labels: object = {}): void => {
    counted.push({ name, labels });
  };
const meter: ConstructorParameters<typeof SessionMetrics>[1] = {
  createCounter: (name) => ({ ...noopMetricMeter.createCounter(name), add: keep(name) }),
  createHistogram: (name) => ({ ...noopMetricMeter.createHistogram(name), record: keep(name) }),
};

const NOW = 1_000_000;
const fresh = newRecord(NOW, { kind: 'EFT' });
const metrics = (isStartCounted = false) =>
  new SessionMetrics({ kind: 'EFT', account: 'shop', isStartCounted }, meter);

/** Returns the counted metrics, by name, with their labels. */
const recorded = () => counted.map(({ name, labels }) => [name.replace('paysession_', ''), labels]);

beforeEach(() => {
  counted.length = 0;
});

function change(before: Partial<SessionRecord>, after: Partial<SessionRecord>): unknown[] {
  const one = metrics(true);
  one.changed({ ...fresh, ...before }, { ...fresh, ...after }, NOW);
  return recorded();
}

describe('the account in a session’s metrics', () => {
  test('is the label “other” until a worker has reported that it has the account', () => {
    for (const hasAccount of [false, true]) {
      const one = metrics();
      one.sawAccount(hasAccount);
      one.started();
    }
    expect(counted.map(({ labels }) => labels)).toEqual([
      { account: 'other', kind: 'EFT' },
      { account: 'shop', kind: 'EFT' },
    ]);
  });

  test('is a label as soon as another worker has the account, and the start is counted only once', () => {
    const one = metrics();
    one.started();
    one.sawAccount(true);
    one.started();
    one.createEnded('created');
    expect(recorded()).toEqual([
      ['sessions_started_total', { account: 'other', kind: 'EFT' }],
      ['creates_total', { account: 'shop', outcome: 'created' }],
    ]);
  });

  test('is a label at once if the session’s start was counted in an earlier run', () => {
    metrics(true).failed('CREATE_ABANDONED');
    expect(recorded()).toEqual([
      ['sessions_ended_total', { account: 'shop', kind: 'EFT', status: 'error', code: 'CREATE_ABANDONED' }],
    ]);
  });
});

describe('a session that continues as new', () => {
  const input = { key: 'order-1', request: eft() };

  test('counts its start in the metrics if no earlier run has counted the start', () => {
    const uncounted = new Session(input, { ...fresh, isStartCounted: false });
    expect(new Session(input, uncounted.carriedRecord).metrics.isStartCounted).toBe(false);
  });

  test('does not count its start in the metrics if an earlier run has counted the start', () => {
    expect(new Session(input, { ...fresh, isStartCounted: true }).metrics.isStartCounted).toBe(true);
    expect(new Session(input, fresh).metrics.isStartCounted).toBe(true);
  });
});

describe('the end of a session in the metrics', () => {
  test.each([
    [
      { status: 'Completed', code: 'EFT0301' },
      { status: 'Completed', code: 'EFT0301' },
    ],
    [{ status: 'Cancelled' }, { status: 'Cancelled', code: 'none' }],
    [
      { status: 'Completed', code: 'EFT9999' },
      { status: 'Completed', code: 'other' },
    ],
    [
      { status: 'a b@example.com', code: 'x' },
      { status: 'other', code: 'other' },
    ],
  ])('has for %j the labels %j', (state, labels) => {
    expect(change({}, { ...state, ended: true })).toEqual([
      ['sessions_ended_total', { account: 'shop', kind: 'EFT', ...labels }],
    ]);
  });
});

// A key was used before, and the ledger knows its session. Then the ledger answers the start: the workflow ends with that result.
describe('in the metrics, a start that the ledger answers', () => {
  const ended = {
    ...fresh,
    answeredByLedger: true,
    ended: true,
    status: 'Completed',
    sessionId: 'one',
  } as const;

  test('counts as answered, but not as started, opened or ended', () => {
    const one = metrics();
    one.answered();
    one.changed(fresh, { ...ended, unverified: true }, NOW);
    expect(recorded()).toEqual([['sessions_answered_total', { account: 'shop', kind: 'EFT' }]]);
  });

  test('does not count the recorded failure again', () => {
    const one = metrics();
    one.answered();
    one.changed(fresh, { ...fresh, answeredByLedger: true }, NOW);
    one.failed('CREATE_ABANDONED');
    expect(recorded()).toEqual([['sessions_answered_total', { account: 'shop', kind: 'EFT' }]]);
  });

  test('counts the outcome of a requested cancel', () => {
    const cancel = { requestedAt: '2026-01-05T00:00:00.000Z', by: 'caller' } as const;
    const one = metrics();
    one.answered();
    one.changed({ ...fresh, cancel }, { ...ended, cancel: { ...cancel, outcome: 'alreadyEnded' } }, NOW);
    expect(recorded()).toContainEqual([
      'cancels_settled_total',
      { account: 'shop', outcome: 'alreadyEnded' },
    ]);
  });
});

describe('a cancel in the metrics', () => {
  const requestedAt = '2026-01-05T00:00:00.000Z';
  const pending = { requestedAt, by: 'caller' } as const;
  const settled = { ...pending, outcome: 'lostToCompletion' } as const;

  test('is counted when it is requested, and when it has an outcome', () => {
    expect(change({}, { cancel: pending })).toEqual([
      ['cancels_requested_total', { account: 'shop', by: 'caller' }],
    ]);
    counted.length = 0;
    expect(change({ cancel: pending }, { cancel: settled })).toEqual([
      ['cancels_settled_total', { account: 'shop', outcome: 'lostToCompletion' }],
    ]);
  });

  test('is not counted again if it already has an outcome', () => {
    expect(change({ cancel: settled }, { cancel: { ...settled } })).toEqual([]);
  });
});

test('the metrics have no opening time for a session that a person adopted', () => {
  expect(change({ parked: true }, { sessionId: 'found' })).toEqual([]);
  expect(change({}, { sessionId: 'created' })).toEqual([
    ['session_open_duration_seconds', { account: 'shop', kind: 'EFT' }],
  ]);
});
