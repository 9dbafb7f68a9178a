import { expect, test } from '@jest/globals';
import { daysSince } from '../../../cli/commands/ledger/restored';

test.each<[string, string, readonly string[]]>([
  ['2026-05-06T14:00:00Z', '2026-05-06T15:00:00Z', ['2026-05-05', '2026-05-06']],
  ['2026-04-30T23:59:59.999Z', '2026-05-01T00:00:00Z', ['2026-04-29', '2026-04-30', '2026-05-01']],
])(
  'a ledger restored to its state of %s may lack, at %s, the reconciliation files of the days %j',
  (time, now, days) => {
    expect(daysSince(new Date(time), new Date(now))).toEqual(days);
  },
);
