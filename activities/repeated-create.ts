import type { Info } from '@temporalio/activity';
import { explain, type ServiceFailure } from '../src/errors';

/** A first attempt's two times may be a clock's tick apart: Temporal's test server reads its clock for each of them. */
const TICK_MS = 100;

/**
 * Whether an earlier execution of this activity may have reached the service. The engine never repeats a create by
 * itself, but an operator can reset one.
 */
export function isRepeated(
  info: Pick<Info, 'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>,
): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = info;
  return attempt > 1 || currentAttemptScheduledTimestampMs - scheduledTimestampMs > TICK_MS;
}

export function repeatedCreate(): ServiceFailure {
  const code = 'SERVICE_INTERRUPTED';
  const happened = 'The create was run again from outside; its first run may have reached the service.';
  return { code, message: `${happened} ${explain(code)}` };
}
