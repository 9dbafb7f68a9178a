import { beforeEach, describe, expect, test } from '@jest/globals';
import { noopMetricMeter } from '@temporalio/common';
import { SessionMetrics } from '../../../workflows/record/metrics';
import { Session } from '../../../workflows/session';
import { eft } from '../../support/requests';
import { newRecord, type SessionRecord } from '../../../workflows/record/session-record';

const counted: { readonly name: string; readonly labels: object }[] = [];

/** A meter that keeps what is counted. */
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

/** The names of what was counted, and its labels. */
const told = () => counted.map(({ name, labels }) => [name.replace('paysession_', ''), labels]);

beforeEach(() => {
  counted.length = 0;
});

function change(before: Partial<SessionRecord>, after: Partial<SessionRecord>): unknown[] {
  const one = metrics(true);
  one.changed({ ...fresh, ...before }, { ...fresh, ...after }, NOW);
  return told();
}

describe('an account', () => {
  test('is no label before a worker is known to have it', () => {
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

  test('that a later worker has is a label from then on; the session has started once', () => {
    const one = metrics();
    one.started();
    one.sawAccount(true);
    one.started();
    one.createEnded('created');
    expect(told()).toEqual([
      ['sessions_started_total', { account: 'other', kind: 'EFT' }],
      ['creates_total', { account: 'shop', outcome: 'created' }],
    ]);
  });

  test('a session that continues as new does not start again', () => {
    metrics(true).failed('CREATE_ABANDONED');
    expect(told()).toEqual([
      ['sessions_ended_total', { account: 'shop', kind: 'EFT', status: 'error', code: 'CREATE_ABANDONED' }],
    ]);
  });
});

describe('a session that continues as new', () => {
  const input = { key: 'order-1', request: eft() };

  test('before its start was counted counts the start later', () => {
    const uncounted = new Session(input, undefined);
    expect(new Session(input, uncounted.carriedRecord).metrics.isStartCounted).toBe(false);
  });

  test('after its start was counted does not count the start again', () => {
    expect(new Session(input, { ...fresh, isStartCounted: true }).metrics.isStartCounted).toBe(true);
    expect(new Session(input, fresh).metrics.isStartCounted).toBe(true);
  });
});

describe('the end of a session', () => {
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
  ])('%j has the labels %j', (state, labels) => {
    expect(change({}, { ...state, ended: true })).toEqual([
      ['sessions_ended_total', { account: 'shop', kind: 'EFT', ...labels }],
    ]);
  });
});

describe('a start that the ledger answers', () => {
  const ended = {
    ...fresh,
    answeredByLedger: true,
    ended: true,
    status: 'Completed',
    sessionId: 'one',
  } as const;

  test('counts as answered, and neither as started, opened nor ended', () => {
    const one = metrics();
    one.answered();
    one.changed(fresh, { ...ended, unverified: true }, NOW);
    expect(told()).toEqual([['sessions_answered_total', { account: 'shop', kind: 'EFT' }]]);
  });

  test('does not count a failure of before again', () => {
    const one = metrics();
    one.answered();
    one.changed(fresh, { ...fresh, answeredByLedger: true }, NOW);
    one.failed('CREATE_ABANDONED');
    expect(told()).toEqual([['sessions_answered_total', { account: 'shop', kind: 'EFT' }]]);
  });

  test('settles the requested cancel', () => {
    const cancel = { requestedAt: '2026-01-05T00:00:00.000Z', by: 'caller' } as const;
    const one = metrics();
    one.answered();
    one.changed({ ...fresh, cancel }, { ...ended, cancel: { ...cancel, outcome: 'alreadyEnded' } }, NOW);
    expect(told()).toContainEqual(['cancels_settled_total', { account: 'shop', outcome: 'alreadyEnded' }]);
  });
});

describe('a cancel', () => {
  const requestedAt = '2026-01-05T00:00:00.000Z';
  const pending = { requestedAt, by: 'caller' } as const;
  const settled = { ...pending, outcome: 'lostToCompletion' } as const;

  test('counts when it is asked for, and when it is settled', () => {
    expect(change({}, { cancel: pending })).toEqual([
      ['cancels_requested_total', { account: 'shop', by: 'caller' }],
    ]);
    counted.length = 0;
    expect(change({ cancel: pending }, { cancel: settled })).toEqual([
      ['cancels_settled_total', { account: 'shop', outcome: 'lostToCompletion' }],
    ]);
  });

  test('that is settled already counts no more', () => {
    expect(change({ cancel: settled }, { cancel: { ...settled } })).toEqual([]);
  });
});

test('a session that a person named has no opening time', () => {
  expect(change({ parked: true }, { sessionId: 'found' })).toEqual([]);
  expect(change({}, { sessionId: 'created' })).toEqual([
    ['session_open_duration_seconds', { account: 'shop', kind: 'EFT' }],
  ]);
});
