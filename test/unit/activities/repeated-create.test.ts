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
  ['a first execution', FIRST, false],
  [
    'a first execution whose two times were read a tick apart',
    { ...FIRST, currentAttemptScheduledTimestampMs: 1_001 },
    false,
  ],
  ['a second attempt', { ...FIRST, attempt: 2 }, true],
  [
    'an execution that an operator has reset, which counts as a first attempt again',
    { ...FIRST, currentAttemptScheduledTimestampMs: 3_000 },
    true,
  ],
])('%s', (_name, info, repeated) => {
  expect(isRepeated(info, 'run')).toBe(repeated);
});

test('an execution for a run that did not ask for it: the one that did was reset', () => {
  expect(isRepeated(FIRST, 'another run')).toBe(true);
});
