import type { Client } from '@temporalio/client';
import { listFailures, PaysessionError } from '../errors';
import { decidedByFailures, MAX_DECIDER_LENGTH, namedIn, type DecidedBy } from '../protocol/decisions';

/** Who decides, why, and by which request. */
export interface DecisionOptions extends DecidedBy {
  /** Your own id for this request. @default a new one */
  readonly requestId?: string;
}

/**
 * Who decides and why, as it is sent; `undefined` where nobody is named and no reason is given: then nothing is recorded.
 * Throws `PaysessionError` `INVALID_INPUT` listing everything that is wrong with it.
 */
export function decidedByOf(client: Client, { by, reason }: DecidedBy): DecidedBy | undefined {
  const named = namedIn({ by, reason });
  const failures = decidedByFailures(named);
  if (failures.length === 0) return named && { by: defaultDecider(client), ...named };
  throw new PaysessionError(
    'INVALID_INPUT',
    `The name or the reason is invalid; nothing was sent: ${listFailures(failures)}`,
  );
}

/** Who decides where nobody is named: the identity of the Temporal client. */
export function defaultDecider(client: Client): string {
  const { identity } = client.workflow.options;
  return Array.from(identity).slice(0, MAX_DECIDER_LENGTH).join('');
}
