import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  isChange,
  SESSION_CODES,
  SESSION_STATUSES,
  type SessionKind,
  type SessionSnapshot,
} from '../../../../src/contract';
import { next, knownReports } from '../../../../workflows/record/next';
import { newRecord, type SessionRecord } from '../../../../workflows/record/session-record';
import { testSeed } from '../../../support/seed';
import { created, START } from '../../../support/workflows/record/observations';

// A follower is the activity that polls a session. It must report a poll to the workflow exactly if the poll changes the record.

/** CI has time for more runs. Each of its runs has another seed. */
const RUNS = process.env['CI'] === undefined ? 4_000 : 20_000;
const kind = fc.constantFrom<SessionKind>('EFT', 'GEFT', 'e-Transfer');

/** All combinations of a few values, so that reports repeat. They are a list, because generating a report is slow. */
const REPORTS: readonly SessionSnapshot[] = [
  ...SESSION_STATUSES.slice(0, 2),
  'Completed',
  'Settling',
  'Reviewing',
  'Failed',
].flatMap((status) =>
  [
    {},
    ...['EFT0101', 'EFT0301', 'EFT0302', 'EFT0303', 'EFT0401'].map((code) => ({ code })),
    { unreadableCode: true as const },
  ].flatMap((code) => [{}, { amount: 25 }, { amount: 26 }].map((amount) => ({ status, ...code, ...amount }))),
);

const report = fc.constantFrom(...REPORTS);

const seen = (record: SessionRecord, snapshot: SessionSnapshot): SessionRecord =>
  next(record, { type: 'seen', source: 'poll', snapshot }, START);

test('a follower reports a poll exactly if the poll changes the record, for any state and any answer', () => {
  const property = fc.property(kind, fc.array(report, { maxLength: 12 }), report, (of, before, one) => {
    const record = before.reduce(seen, next(newRecord(START, { kind: of }), created, START));
    fc.pre(!record.ended);
    // The follower receives its data as JSON.
    const known = JSON.parse(JSON.stringify(knownReports(record))) as ReturnType<typeof knownReports>;
    const { revision: _before, ...was } = record;
    const { revision: _after, ...is } = seen(record, one);
    return isChange(known, one) === (JSON.stringify(is) !== JSON.stringify(was));
  });
  fc.assert(property, { seed: testSeed(), numRuns: RUNS });
});

test('a follower does not report an anomaly if the record is full of anomalies', () => {
  const odd = (index: number) => ({ status: 'Initiated', code: 'EFT0101', amount: index });
  const many = Array.from({ length: 60 }, (_, index) => ({ status: `Odd${index}` }));
  const record = many.reduce(seen, next(newRecord(START, { kind: 'EFT' }), created, START));
  const { status = '' } = record;
  expect(knownReports(record).findings).toBeUndefined();
  expect(isChange(knownReports(record), { status, unreadableCode: true })).toBe(true);
  expect(
    isChange(knownReports(seen(record, { status, unreadableCode: true })), { status, unreadableCode: true }),
  ).toBe(false);
  expect(isChange(knownReports(record), odd(1))).toBe(true);
});

test('a follower reports a poll in which only the amount is new', () => {
  const record = next(newRecord(START, { kind: 'EFT' }), created, START);
  const entered = { status: 'Initiated', code: 'EFT0101', amount: 31.5 };
  expect(isChange(knownReports(record), entered)).toBe(true);
  expect(seen(record, entered)).toMatchObject({ amount: 31.5 });
});

test('each code of the contract is known for an EFT, and unknown for an e-Transfer', () => {
  for (const [code, { status }] of Object.entries(SESSION_CODES)) {
    const opened = (of: SessionKind) => next(newRecord(START, { kind: of }), created, START);
    const anomalies = (of: SessionKind) =>
      seen(opened(of), { status, code }).anomalies.map((found) => found.kind);
    expect([anomalies('EFT'), anomalies('e-Transfer')]).toEqual([[], ['unknownCode']]);
  }
});
