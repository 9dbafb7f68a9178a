/** A person's decisions about a session, checked before they are sent. */
import type { Client } from '@temporalio/client';
import { PaysessionError } from '../errors';
import { type PreviewAdopt, previewFailures } from '../protocol/adopt-preview';
import {
  MAX_DECIDER_LENGTH,
  namedIn,
  type DecidedBy,
  NOT_PARKED,
  resolutionFailures,
  type ResolveCreate,
} from '../protocol/decisions';
import { checkOptions, DECISION_OPTIONS } from './calls/options';
import { refuseInvalid } from './session-errors';

/** The person who decides, the reason, and the id of the request. */
export interface DecisionOptions extends DecidedBy {
  /** Your own id for this request. @default a new one */
  readonly requestId?: string;
}

/** Returns the name and the reason for sending; `undefined` if both are absent, so that the session records no decision. */
export function decidedByOf(client: Client, decidedBy: DecidedBy): DecidedBy | undefined {
  const named = namedIn(decidedBy);
  return named && { by: defaultDecider(client), ...named };
}

/** Returns the name for a decision without one: the identity of the Temporal client, cut to the maximum length of a name. */
export function defaultDecider(client: Client): string {
  const { identity } = client.workflow.options;
  return Array.from(identity).slice(0, MAX_DECIDER_LENGTH).join('');
}

/**
 * Returns the preview's argument for sending. Throws `PaysessionError` `INVALID_INPUT` for an id that cannot come from the payment
 * service.
 */
export function previewOf(sessionId: string): PreviewAdopt {
  refuseInvalid(previewFailures({ sessionId }), 'The session id is invalid; nothing was sent');
  return { sessionId };
}

/** Refuses a preview of an ended session, which has nothing to decide any more. */
export function nothingToPreview(): never {
  throw new PaysessionError('INVALID_INPUT', NOT_PARKED);
}

/** Returns the decision about a create request for sending. Throws `PaysessionError` `INVALID_INPUT` that lists every failure. */
export function resolutionOf(client: Client, answer: ResolveCreate, options: DecisionOptions): ResolveCreate {
  checkOptions(options, DECISION_OPTIONS);
  const resolution = { by: defaultDecider(client), ...answer, ...namedIn(options) };
  refuseInvalid(resolutionFailures(resolution), 'The resolution is invalid; nothing was sent');
  return resolution;
}
