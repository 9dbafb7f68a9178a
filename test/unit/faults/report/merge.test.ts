import { expect, test } from '@jest/globals';
import { merged } from '../../../../chaos/faults/report/merge';
import { emptyTally, quantilesOf, type Report } from '../../../../chaos/faults/report/tally';

const report = (changes: Partial<Report>): Report => ({
  seed: 1,
  minutes: 2,
  tally: emptyTally(),
  faults: {},
  strikes: {},
  kills: 0,
  crashed: [],
  replayed: { whole: 0, prefixes: 0 },
  recoveryMs: quantilesOf([]),
  slowest: [],
  settlingMs: quantilesOf([]),
  violations: [],
  ...changes,
});

test('the merge of two reports of a campaign of faults has the sums of their numbers, and all their violations', () => {
  const violation = { invariant: 'j', where: 'f-1', what: 'not reported' } as const;
  const first = report({
    tally: { ...emptyTally(), sessions: 3, endings: { Completed: 3 } },
    faults: { hang: 1 },
    violations: [{ ...violation, where: 'f-2' }],
    settlingMs: quantilesOf([5]),
  });
  const second = report({
    tally: { ...emptyTally(), sessions: 2, leftAlone: 2, endings: { Completed: 1, Cancelled: 1 } },
    faults: { hang: 2, slow: 1 },
    violations: [violation],
  });
  expect(merged(first, second)).toMatchObject({
    tally: { sessions: 5, leftAlone: 2, endings: { Completed: 4, Cancelled: 1 } },
    faults: { hang: 3, slow: 1 },
    violations: [{ where: 'f-2' }, { where: 'f-1' }],
    settlingMs: { p50: 5 },
  });
});
