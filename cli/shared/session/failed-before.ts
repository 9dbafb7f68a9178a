import type { ErrorCode } from '../../../src/errors';
import type { SessionEnd } from '../../../src/sessions';

/** The error code of a session that a start attached to, where no session came of it; `undefined` otherwise. */
export function failureOf(end: SessionEnd | undefined): ErrorCode | undefined {
  if (end === undefined || end.outcome === 'ended') return undefined;
  return end.failure ?? 'SESSION_TERMINATED';
}
