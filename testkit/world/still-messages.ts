import type { WorkflowClientInterceptor } from '@temporalio/client';
import { MESSAGES } from '../../src/protocol/names';
import type { VirtualTime } from './virtual-time';

/** Messages that a test sends reach their workflow at the time at which they were sent, also while time skips. */
export function stillMessages(time: VirtualTime): WorkflowClientInterceptor {
  return {
    signal: (input, next) => time.whileStill(() => next(input)),
    signalWithStart: (input, next) => time.whileStill(() => next(input)),
    // Who waits for a change may wait for days.
    startUpdate: (input, next) =>
      input.updateName === MESSAGES.awaitChange ? next(input) : time.whileStill(() => next(input)),
    cancel: (input, next) => time.whileStill(() => next(input)),
  };
}
