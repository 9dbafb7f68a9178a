import { listFailures, PaysessionError } from '../errors';
import { previewFailures, type PreviewAdopt } from '../protocol/adopt-preview';
import { NOT_PARKED } from '../protocol/resolution';

/** What to look at, as it is sent. Throws `PaysessionError` `INVALID_INPUT` for an id that the service never gave out. */
export function previewOf(sessionId: string): PreviewAdopt {
  const failures = previewFailures({ sessionId });
  if (failures.length === 0) return { sessionId };
  throw new PaysessionError(
    'INVALID_INPUT',
    `The session to look at is invalid, nothing was sent: ${listFailures(failures)}`,
  );
}

/** An ended session has nothing to decide any more. */
export function nothingToLookAt(): never {
  throw new PaysessionError('INVALID_INPUT', NOT_PARKED);
}
