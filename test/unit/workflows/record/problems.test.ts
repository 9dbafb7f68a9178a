import { describe, expect, test } from '@jest/globals';
import { PROBLEMS, problemsOf, remedyOf } from '../../../../src/protocol/state/problems';
import { phaseOf, type Observation, type SessionRecord } from '../../../../workflows/record/session-record';
import { after, created, polled } from '../../../support/workflows/record/observations';
import { currentDetails } from '../../../../src/protocol/temporal/visibility';

const failed: Observation = {
  type: 'callFailed',
  failure: { code: 'SERVICE_FAILED', message: 'answered Jane Doe' },
};
const times = (count: number, observation: Observation) => Array.from({ length: count }, () => observation);
const problems = (record: SessionRecord) => problemsOf({ ...record, phase: phaseOf(record) });
const details = (record: SessionRecord, key = 'order-1') =>
  currentDetails(key, { ...record, phase: phaseOf(record) });

describe('the problems of a session', () => {
  test('are “parked” while the session is parked', () => {
    expect(problems(after({ type: 'createParked', run: 'run' }))).toEqual(['parked']);
    expect(problems(after({ type: 'createParked', run: 'run' }, { type: 'createUnparked' }))).toEqual([]);
  });

  test('are “serviceFailing” from the fifth failed call in a row until a call succeeds', () => {
    expect(problems(after(created, ...times(4, failed)))).toEqual([]);
    expect(problems(after(created, ...times(5, failed)))).toEqual(['serviceFailing']);
    expect(problems(after(created, ...times(5, failed), polled('Initiated', 'EFT0101')))).toEqual([]);
    expect(problems(after(created, ...times(4, failed), polled('Initiated', 'EFT0101'), failed))).toEqual([]);
  });

  test('include each kind of anomaly once, and keep it', () => {
    const record = after(created, polled('Reviewing'), polled('Held'), polled('Completed', 'EFT0301'));
    expect(problems(record)).toEqual(['unknownStatus']);
  });

  test('do not include failing calls after the session’s end', () => {
    expect(problems(after(created, ...times(9, failed), polled('Completed', 'EFT0301')))).toEqual([]);
  });

  test.each(Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])(
    'such as %s have a meaning, and a remedy with the session’s key',
    (problem) => {
      expect(remedyOf(problem, 'order-1')).not.toContain('KEY');
      expect(PROBLEMS[problem].meaning).toMatch(/\.$/);
    },
  );
});

describe('the revision of a session', () => {
  const revisions = (...observations: Observation[]) => after(...observations).revision;

  test('grows with each change that a caller sees, but not with a repeated report', () => {
    expect([revisions(), revisions(created), revisions(created, polled('Initiated', 'EFT0101'))]).toEqual([
      0, 1, 1,
    ]);
    expect(revisions(created, { type: 'cancelRequested', by: 'caller' })).toBe(2);
  });

  test('grows when failed calls become a problem, but not with each failed call', () => {
    expect(revisions(created, ...times(4, failed))).toBe(1);
    expect(revisions(created, ...times(50, failed))).toBe(2);
  });
});

describe('a session’s current details in Temporal’s UI', () => {
  test('show the status, the code and the phase', () => {
    expect(details(after())).toBe('(creating)');
    expect(details(after(created))).toBe('Initiated EFT0101 (open)');
    expect(details(after(created, polled('Completed', 'EFT0301')))).toBe('Completed EFT0301');
  });

  test('say what a person should do about a problem', () => {
    expect(details(after({ type: 'createParked', run: 'run' }))).toContain('`paysession resolve order-1`');
  });

  test('quote a key in a command for a shell', () => {
    const parked = after({ type: 'createParked', run: 'run' });
    expect(details(parked, "-o 'n'; rm")).toContain("`paysession resolve -- '-o '\\''n'\\''; rm'`");
    expect(details(parked, 'a`b')).toContain('`paysession resolve KEY`');
  });

  test('contain no text of the service that may have a person’s name', () => {
    const record = after(created, polled('Held for Jane Doe', 'Jane'), failed, {
      type: 'waits',
      untilMs: 0,
    });
    expect(details(record)).toContain('last call: SERVICE_FAILED, next call at 1970-01-01T00:00:00.000Z');
    expect(details(record)).not.toMatch(/Doe/);
  });
});
