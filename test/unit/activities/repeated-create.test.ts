import { expect, test } from '@jest/globals';
import { isRepeated } from '../../../activities/create-session';

const workflowExecution = { workflowId: 'payment-session/order-7', runId: 'run' };
const FIRST = {
  workflowExecution,
  attempt: 1,
  scheduledTimestampMs: 1_000,
  currentAttemptScheduledTimestampMs: 1_000,
};

test.each([
  ['a first execution of a create activity does not count as repeated', FIRST, false],
  [
    'a first execution whose two times differ by a clock’s tick does not count as repeated',
    { ...FIRST, currentAttemptScheduledTimestampMs: 1_001 },
    false,
  ],
  ['a second attempt of a create activity counts as repeated', { ...FIRST, attempt: 2 }, true],
  [
    'an execution that an operator has reset counts as repeated, although its attempt is 1 again',
    { ...FIRST, currentAttemptScheduledTimestampMs: 3_000 },
    true,
  ],
])('%s', (_name, info, repeated) => {
  expect(isRepeated(info, 'run')).toBe(repeated);
});

test('an execution that another run asked for counts as repeated, because that run was reset', () => {
  expect(isRepeated(FIRST, 'another run')).toBe(true);
});
