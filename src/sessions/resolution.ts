import type { Client } from '@temporalio/client';
import { listFailures, PaysessionError } from '../errors';
import type { DecidedBy } from '../protocol/decided-by';
import { resolutionFailures, type ResolveCreate } from '../protocol/resolution';
import { defaultDecider } from './decided-by';

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
