import { describe, expect, test } from '@jest/globals';
import { next } from '../../../workflows/record/record';
import type { Observation, SessionRecord } from '../../../workflows/record/session-record';
import { asTakenBefore, wasTakenOtherwise } from '../../../workflows/record/taken-before';
import { after, afterOf, created, polled, START } from './observations';

/** Sessions that 0.1.0 began replay as they went then; what is new goes by the rules of now. */

const report = (status: string, code?: string) =>
  polled(status, code) as Extract<Observation, { type: 'seen' }>;
const nextBefore = (record: SessionRecord, observation: Extract<Observation, { type: 'seen' }>) =>
  next(...asTakenBefore(record, observation), START);

describe('an e-Transfer that was reported with a code of the contract, and then without one', () => {
  const coded = afterOf('e-Transfer', created, polled('Completed', 'EFT0302'));
  const plain = report('Completed');

  test('is paid', () => {
    expect(wasTakenOtherwise(coded, plain)).toBe(true);
    expect(next(coded, plain, START)).toMatchObject({ status: 'Completed', ended: true });
  });

  test('kept the code in 0.1.0', () => {
    expect(nextBefore(coded, plain)).toMatchObject({ code: 'EFT0302', ended: false });
  });
});

describe('a state that came when no more states were recorded', () => {
  const many = Array.from({ length: 220 }, (_, index) => polled(`Odd${index % 2}`));
  const validated = after(created, ...many, polled('Completed', 'EFT0302'));
  const back = report('Initiated', 'EFT0101');

  test('counts: what goes back from it is not applied, and its time is known', () => {
    expect(validated.stateHistory).toHaveLength(200);
    expect(validated.validatedAtMs).toBe(START + 222_000);
    expect(wasTakenOtherwise(validated, back)).toBe(true);
    expect(next(validated, back, START)).toMatchObject({ status: 'Completed', code: 'EFT0302' });
  });

  test('never was in 0.1.0', () => {
    expect(nextBefore(validated, back)).toMatchObject({ status: 'Initiated' });
  });
});

test('other reports are taken as they always were', () => {
  const record = after(created, polled('Completed', 'EFT0302'));
  expect(wasTakenOtherwise(record, report('Completed'))).toBe(false);
  expect(wasTakenOtherwise(afterOf('e-Transfer', created), report('Completed'))).toBe(false);
});
