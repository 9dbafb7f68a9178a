import { describe, expect, test } from '@jest/globals';
import { endFacts, newParking } from '../../../src/protocol/ledger/session-facts';
import type { Decision, Park } from '../../../src/protocol/state/recorded';
import type { SessionResult } from '../../../src/protocol/state/session';

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
// A workflow reports facts to the ledger. A park is a wait for a person's decision about a lost create request.
const park = (minute: number): Park => ({ at: at(minute), code: 'SERVICE_INTERRUPTED', id: `run-${minute}` });
const decided = (decision: Decision['decision'], minute: number, result: Decision['result']): Decision => ({
  ...{ decision, by: 'avery', result, at: at(minute) },
});
const refused = decided('adopt', 2, 'SESSION_MISMATCH');
const retried = decided('retry', 4, 'applied');

describe('the report to the ledger about a parked session', () => {
  test('contains each new park, numbered from 1, with its code', () => {
    expect(newParking({ decisions: [] }, { parks: [park(1)], decisions: [] })).toEqual([
      { kind: 'parked', number: 1, at: at(1), code: 'SERVICE_INTERRUPTED', id: 'run-1' },
    ]);
    const again = { parks: [park(1), park(5)], decisions: [retried] };
    expect(newParking({ parks: [park(1)], decisions: [retried] }, again)).toEqual([
      { kind: 'parked', number: 2, ...park(5) },
    ]);
  });

  test('contains each new decision, even if it was refused, numbered among all decisions', () => {
    const refreshed = decided('refresh', 1, 'applied');
    const parks = [park(1)];
    expect(newParking({ parks, decisions: [refreshed] }, { parks, decisions: [refreshed, refused] })).toEqual(
      [{ kind: 'decision', number: 2, ...refused }],
    );
  });

  test('does not contain a cancellation or refresh without an outcome', () => {
    const pending = [decided('cancel', 3, 'pending'), decided('refresh', 3, 'pending')];
    expect(newParking({ decisions: [] }, { decisions: pending })).toEqual([]);
  });
});

test('the report to the ledger about a session’s end contains the same facts about parks and decisions as earlier reports', () => {
  const parking = { parks: [park(1), park(5)], decisions: [refused, retried] };
  const soon = newParking({ decisions: [] }, parking);
  const result: SessionResult = {
    ...{ key: 'order-1', kind: 'EFT', referenceId: null, paid: false, status: 'Cancelled' },
    ...{ stateHistory: [], anomalies: [], ...parking },
  };
  const facts = endFacts({ key: 'order-1', firstRunId: 'run-1', result }, at(9));
  expect(facts.filter(({ kind }) => kind === 'parked' || kind === 'decision')).toHaveLength(4);
  expect(facts).toEqual(expect.arrayContaining([...soon]));
  expect(facts.map(({ at: when }) => when)).toEqual([at(1), at(2), at(4), at(5), at(9)]);
});

test.each([
  ['was created, even if an adoption was refused', refused, 'create'],
  ['was adopted by a person', decided('adopt', 4, 'applied'), 'adopt'],
] as const)(
  'the report to the ledger about a session’s end says that the session %s',
  (_what, decision, how) => {
    const result: SessionResult = {
      ...{
        key: 'order-1',
        kind: 'EFT',
        referenceId: null,
        sessionId: 's-1',
        paid: false,
        status: 'Cancelled',
      },
      ...{ stateHistory: [], anomalies: [], parks: [park(1)], decisions: [decision] },
    };
    const facts = endFacts({ key: 'order-1', firstRunId: 'run-1', result }, at(9));
    expect(facts).toContainEqual({ kind: 'opened', at: at(9), sessionId: 's-1', how });
  },
);
