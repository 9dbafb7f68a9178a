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

describe('if the payment service reports something outside the contract', () => {
  test('an unknown status is recorded, is an anomaly once, and does not end the session', () => {
    const record = after(created, polled('Reviewing'), polled('Initiated', 'EFT0101'), polled('Reviewing'));
    expect(record).toMatchObject({ status: 'Reviewing', ended: false });
    expect(anomalies(record)).toEqual(['unknownStatus']);
  });

  test('an unknown code of a final status is recorded, is an anomaly, and ends the session', () => {
    const record = after(created, polled('Failed', 'EFT0402'));
    expect(record).toMatchObject({ status: 'Failed', code: 'EFT0402', ended: true });
    expect(anomalies(record)).toEqual(['unknownCode']);
  });

  test.each([
    ['without a code', polled('Completed'), 'missingCode'],
    ['with a code that cannot be read', unreadable('Completed'), 'unreadableCode'],
    ['with an unknown code', polled('Completed', 'EFT0399'), 'unknownCode'],
    ['with the code of another status', polled('Completed', 'EFT0501'), 'unknownCode'],
  ])(
    'the status Completed %s is an anomaly, and does not end an EFT session',
    (_case, observation, anomaly) => {
      const record = after(created, observation);
      expect([record.status, record.ended]).toEqual(['Completed', false]);
      expect(anomalies(record)).toContain(anomaly);
    },
  );

  test('an unclear Completed ends the session once its code says that it is paid', () => {
    const record = after(created, unreadable('Completed'), polled('Completed', 'EFT0301'));
    expect(record.ended).toBe(true);
    expect(states(record)).toEqual(['Initiated/EFT0101', 'Completed/', 'Completed/EFT0301']);
  });

  test('an unclear Completed can be followed by EFT0302, which awaits the signature', () => {
    const record = after(created, polled('Completed'), polled('Completed', 'EFT0302'));
    expect([record.code, record.ended]).toEqual(['EFT0302', false]);
  });

  test('an e-Transfer that is Completed with an unreadable code ends once it is Completed without a code', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'));
    expect([unclear.ended, anomalies(unclear)]).toEqual([false, ['unreadableCode']]);
    expect(next(unclear, polled('Completed'), START).ended).toBe(true);
  });

  test('an e-Transfer that is Completed with an EFT’s code ends once it is Completed without a code', () => {
    const coded = afterOf('e-Transfer', created, polled('Completed', 'EFT0302'));
    expect(coded.ended).toBe(false);
    expect(next(coded, polled('Completed'), START)).toMatchObject({ status: 'Completed', ended: true });
  });

  test('a state counts even if the full history does not record it: an earlier state does not replace it', () => {
    const many = Array.from({ length: 220 }, (_, index) => polled(`Odd${index % 2}`));
    const validated = after(created, ...many, polled('Completed', 'EFT0302'));
    expect(validated.stateHistory).toHaveLength(200);
    expect(validated.validatedAtMs).toBe(START + 222_000);
    expect(next(validated, polled('Initiated', 'EFT0101'), START)).toMatchObject({
      status: 'Completed',
      code: 'EFT0302',
    });
  });

  test('an e-Transfer that is Completed twice with an unreadable code has one anomaly', () => {
    const unclear = afterOf('e-Transfer', created, unreadable('Completed'), unreadable('Completed'));
    expect(anomalies(unclear)).toEqual(['unreadableCode']);
    expect(next(unclear, polled('Completed', 'EFT0302'), START).code).toBe('EFT0302');
  });

  test('an unreadable code is an anomaly, and does not replace a known code', () => {
    const record = after(created, polled('Completed', 'EFT0302'), unreadable('Completed'));
    expect([record.code, anomalies(record)]).toEqual(['EFT0302', ['unreadableCode']]);
  });

  test('an answer about another session is an anomaly once, and changes no state', () => {
    const failure = { code: 'SERVICE_WRONG_SESSION', message: 'another session' } as const;
    const record = after(created, { type: 'callFailed', failure }, { type: 'callFailed', failure });
    expect([states(record), anomalies(record)]).toEqual([['Initiated/EFT0101'], ['wrongSession']]);
  });

  test('a status that goes backwards is an anomaly, and is not recorded', () => {
    const record = after(created, polled('Completed', 'EFT0302'), polled('Initiated', 'EFT0101'));
    expect(record).toMatchObject({ status: 'Completed', code: 'EFT0302' });
    expect(record.anomalies).toMatchObject([
      { kind: 'backwardStatus', detail: 'Completed/EFT0302 to Initiated/EFT0101' },
    ]);
  });

  test('a status that goes backwards is an anomaly even after an unknown status', () => {
    const record = after(
      created,
      polled('Completed', 'EFT0302'),
      polled('Reviewing'),
      polled('Initiated', 'EFT0101'),
    );
    expect(record.status).toBe('Reviewing');
    expect(anomalies(record)).toEqual(['unknownStatus', 'backwardStatus']);
  });

  test('the session has trouble while calls fail, and no trouble after the next successful call', () => {
    const failed: Observation = { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'down' } };
    expect(after(created, failed).trouble?.code).toBe('SERVICE_FAILED');
    expect(after(created, failed, polled('Initiated', 'EFT0101')).trouble).toBeUndefined();
  });
});
