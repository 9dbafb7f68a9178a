import type { Client } from '@temporalio/client';
import { listFailures, PaysessionError } from '../errors';
import { MAX_DECIDER_LENGTH, resolutionFailures } from '../protocol/resolution';
import type { ResolveCreate } from '../protocol/resolution';

/** Throws `PaysessionError` `INVALID_INPUT` listing everything that is wrong with an answer to a lost create. */
export function assertResolution(answer: unknown): asserts answer is ResolveCreate {
  const failures = resolutionFailures(answer);
  if (failures.length === 0) return;
  throw new PaysessionError(
    'INVALID_INPUT',
    `The answer is invalid, nothing was sent: ${listFailures(failures)}`,
  );
}

/** Who decides where nobody is named: the identity of the Temporal client. */
export function defaultDecider(client: Client): string {
  const { identity } = client.workflow.options;
  return Array.from(identity).slice(0, MAX_DECIDER_LENGTH).join('');
}
