import type { Client } from '@temporalio/client';
import { listFailures, PaysessionError } from '../errors';
import {
  type DecidedBy,
  MAX_DECIDER_LENGTH,
  resolutionFailures,
  type ResolveCreate,
} from '../protocol/resolution';

/**
 * An answer to a lost create, as it is sent. Throws `PaysessionError` `INVALID_INPUT` listing everything that is wrong with
 * it.
 */
export function resolutionOf(
  client: Client,
  answer: ResolveCreate,
  { by, reason }: DecidedBy,
): ResolveCreate {
  const resolution = {
    by: defaultDecider(client),
    ...answer,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
  };
  const failures = resolutionFailures(resolution);
  if (failures.length === 0) return resolution;
  throw new PaysessionError(
    'INVALID_INPUT',
    `The answer is invalid, nothing was sent: ${listFailures(failures)}`,
  );
}

/** Who decides where nobody is named: the identity of the Temporal client. */
function defaultDecider(client: Client): string {
  const { identity } = client.workflow.options;
  return Array.from(identity).slice(0, MAX_DECIDER_LENGTH).join('');
}
