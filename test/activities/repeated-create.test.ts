import { expect, test } from '@jest/globals';
import { isRepeated } from '../../activities/repeated-create';

const FIRST = { attempt: 1, scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 1_000 };

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
  expect(isRepeated(info)).toBe(repeated);
});
