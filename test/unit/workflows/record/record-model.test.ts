import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { next } from '../../../../workflows/record/next';
import {
  newRecord,
  phaseOf,
  type Observation,
  type SessionRecord,
} from '../../../../workflows/record/session-record';
import { testSeed } from '../../../support/seed';
import { expected, isPossible, NEW_MODEL, type Model } from '../../../support/workflows/record/record-model';

const START = Date.UTC(2026, 0, 1);
const RUNS = 5_000;

const report = fc.record(
  {
    status: fc.constantFrom('Initiated', 'Completed', 'Failed', 'Cancelled', 'Expired', 'Reviewing'),
    code: fc.constantFrom('EFT0101', 'EFT0301', 'EFT0302', 'EFT0403', 'EFT0501', 'EFT0601', 'EFT9999'),
  },
  { requiredKeys: ['status'] },
);

const observation: fc.Arbitrary<Observation> = fc.oneof(
  fc.constant<Observation>({ type: 'created', sessionId: 'id', checkoutUrl: 'url' }),
  fc.constantFrom<Observation>(
    { type: 'createParked', run: 'run' },
    { type: 'createUnparked' },
    { type: 'cancelledBeforeCreate' },
    { type: 'signatureDeadlinePassed' },
    { type: 'unclearDeadlinePassed' },
    { type: 'possibleOrphan', why: 'create 1' },
    { type: 'callFailed', failure: { code: 'SERVICE_FAILED', message: 'failed' } },
    { type: 'cancelRequested', by: 'caller' },
    { type: 'decided', decision: { decision: 'refresh', by: 'avery', result: 'pending' } },
    { type: 'refreshed', count: 1, result: 'SERVICE_FAILED' },
  ),
  report.map((snapshot): Observation => ({ type: 'adopted', sessionId: 'id', checkoutUrl: 'url', snapshot })),
  {
    weight: 3,
    arbitrary: report.map((snapshot): Observation => ({ type: 'seen', snapshot, source: 'poll' })),
  },
);

/** Returns the part of the record that the model also has. */
function viewOf(record: SessionRecord): Model {
  const { sessionId, parked, ended, unsigned, stateHistory, possibleOrphans, cancel } = record;
  return {
    opened: sessionId !== undefined,
    parked,
    ended,
    unsigned: unsigned === true,
    states: stateHistory.map(({ status, code = '' }) => `${status}/${code}`),
    orphans: possibleOrphans,
    ...(cancel !== undefined && { cancel: cancel.outcome ?? 'pending' }),
  };
}

function phaseOfModel({ ended, parked, opened, cancel }: Model): string {
  if (ended) return 'ended';
  if (!opened) return parked ? 'parked' : 'creating';
  return cancel === 'pending' ? 'cancelling' : 'open';
}

/** The values that are checked after an observation. */
interface Step {
  readonly view: Model;
  readonly phase: string;
  readonly changedAfterEnd: boolean;
}

test('a session’s record agrees with a simple model, for any observations in any order', () => {
  const property = fc.property(fc.array(observation, { maxLength: 30 }), (observations) => {
    let model = NEW_MODEL;
    let record = newRecord(START, { kind: 'EFT' });
    let nowMs = START;
    const seen: Step[] = [];
    const modelled: Step[] = [];
    for (const one of observations) {
      if (!isPossible(model, one)) continue;
      const before = record;
      record = next(before, one, (nowMs += 1_000));
      const changedAfterEnd = before.ended && record !== before;
      seen.push({ view: viewOf(record), phase: phaseOf(record), changedAfterEnd });
      model = expected(model, one);
      modelled.push({ view: model, phase: phaseOfModel(model), changedAfterEnd: false });
    }
    // There is one `expect` for all steps, because an `expect` takes longer than a step.
    expect(seen).toEqual(modelled);
  });
  fc.assert(property, { seed: testSeed(), numRuns: RUNS });
});
