import { describe, expect, test } from '@jest/globals';
import { next } from '../../../../workflows/record/next';
import type { Observation } from '../../../../workflows/record/session-record';
import {
  START,
  created,
  polled,
  afterOf,
  after,
  unreadable,
  states,
  anomalies,
} from '../../../support/workflows/record/observations';

describe('a report outside the contract', () => {
  test('an unknown status is carried, flagged once, and keeps the session going', () => {
    const record = after(created, polled('Reviewing'), polled('Initiated', 'EFT0101'), polled('Reviewing'));
    expect(record).toMatchObject({ status: 'Reviewing', ended: false });
    expect(anomalies(record)).toEqual(['unknownStatus']);
  });

  test('an unknown code of a final status is carried and flagged, and ends the session', () => {
    const record = after(created, polled('Failed', 'EFT0402'));
    expect(record).toMatchObject({ status: 'Failed', code: 'EFT0402', ended: true });
    expect(anomalies(record)).toEqual(['unknownCode']);
  });

  test.each([
    ['without a code', polled('Completed'), 'missingCode'],
    ['with a code that cannot be read', unreadable('Completed'), 'unreadableCode'],
    ['with an unknown code', polled('Completed', 'EFT0399'), 'unknownCode'],
    ['with the code of another status', polled('Completed', 'EFT0501'), 'unknownCode'],
  ])('a Completed %s does not end an EFT session, and is flagged', (_case, observation, anomaly) => {
    const record = after(created, observation);
    expect([record.status, record.ended]).toEqual(['Completed', false]);
    expect(anomalies(record)).toContain(anomaly);
  });

  test('a Completed that was unclear ends the session once its code says that it is paid', () => {
    const record = after(created, unreadable('Completed'), polled('Completed', 'EFT0301'));
    expect(record.ended).toBe(true);
    expect(states(record)).toEqual(['Initiated/EFT0101', 'Completed/', 'Completed/EFT0301']);
  });

  test('a Completed that was unclear may turn out to await the signature', () => {
    const record = after(created, polled('Completed'), polled('Completed', 'EFT0302'));
    expect([record.code, record.ended]).toEqual(['EFT0302', false]);
  });

  test('an e-Transfer completed with a code that cannot be read is followed until it comes without one', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'));
    expect([unclear.ended, anomalies(unclear)]).toEqual([false, ['unreadableCode']]);
    expect(next(unclear, polled('Completed'), START).ended).toBe(true);
  });

  test('an e-Transfer that was reported with a code of another kind is paid once it comes without one', () => {
    const coded = afterOf('e-Transfer', created, polled('Completed', 'EFT0302'));
    expect(coded.ended).toBe(false);
    expect(next(coded, polled('Completed'), START)).toMatchObject({ status: 'Completed', ended: true });
  });

  test('a state that comes when no more states are recorded counts: nothing goes back from it', () => {
    const many = Array.from({ length: 220 }, (_, index) => polled(`Odd${index % 2}`));
    const validated = after(created, ...many, polled('Completed', 'EFT0302'));
    expect(validated.stateHistory).toHaveLength(200);
    expect(validated.validatedAtMs).toBe(START + 222_000);
    expect(next(validated, polled('Initiated', 'EFT0101'), START)).toMatchObject({
      status: 'Completed',
      code: 'EFT0302',
    });
  });

  test('an e-Transfer whose code cannot be read twice does not go backwards', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'), unreadable('Completed'));
    expect(anomalies(unclear)).toEqual(['unreadableCode']);
    expect(next(unclear, polled('Completed', 'EFT0302'), START).code).toBe('EFT0302');
  });

  test('a code that cannot be read is flagged, and does not take back a known one', () => {
    const record = after(created, polled('Completed', 'EFT0302'), unreadable('Completed'));
    expect([record.code, anomalies(record)]).toEqual(['EFT0302', ['unreadableCode']]);
  });

  test('an answer about another session is flagged once and changes no state', () => {
    const failure = { code: 'SERVICE_WRONG_SESSION', message: 'another session' } as const;
    const record = after(created, { type: 'callFailed', failure }, { type: 'callFailed', failure });
    expect([states(record), anomalies(record)]).toEqual([['Initiated/EFT0101'], ['wrongSession']]);
  });

  test('a status that goes backwards is recorded as an anomaly and not applied', () => {
    const record = after(created, polled('Completed', 'EFT0302'), polled('Initiated', 'EFT0101'));
    expect(record).toMatchObject({ status: 'Completed', code: 'EFT0302' });
    expect(record.anomalies).toMatchObject([
      { kind: 'backwardStatus', detail: 'Completed/EFT0302 to Initiated/EFT0101' },
    ]);
  });

  test('an unknown status in between does not hide that a status goes backwards', () => {
    const record = after(
      created,
      polled('Completed', 'EFT0302'),
      polled('Reviewing'),
      polled('Initiated', 'EFT0101'),
    );
    expect(record.status).toBe('Reviewing');
    expect(anomalies(record)).toEqual(['unknownStatus', 'backwardStatus']);
  });

  test('trouble shows while calls fail and goes with the next report', () => {
    const failed: Observation = { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'down' } };
    expect(after(created, failed).trouble?.code).toBe('SERVICE_FAILED');
    expect(after(created, failed, polled('Initiated', 'EFT0101')).trouble).toBeUndefined();
  });
});
