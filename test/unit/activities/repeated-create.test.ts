import { expect, test } from '@jest/globals';
import { isRepeated } from '../../../activities/create-session';

// An activity that sends a create request must not send the request twice. These are the facts by which it recognizes
// that an earlier execution may have sent the request.
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
    'a create activity that an operator has reset counts as repeated, although its attempt is 1 again',
    { ...FIRST, currentAttemptScheduledTimestampMs: 3_000 },
    true,
  ],
])('%s', (_name, info, repeated) => {
  expect(isRepeated(info, 'run')).toBe(repeated);
});

test('after a reset of the workflow, a create activity that the earlier run scheduled counts as repeated', () => {
  expect(isRepeated(FIRST, 'another run')).toBe(true);
});
