/** Prepares the arguments of a person's decisions about a session, and checks them before they are sent. */
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

/** Options of a decision: the person who decides, the reason, and an id of the request. */
export interface DecisionOptions extends DecidedBy {
  /**
   * Your own id for this request: 1 to 200 characters. If you repeat the request with the same id, it is usually carried out only once.
   * @default a new id
   */
  readonly requestId?: string;
}

/** Returns the name and the reason to send. `undefined` if both are absent: the session then records no decision. */
export function decidedByOf(client: Client, decidedBy: DecidedBy): DecidedBy | undefined {
  const named = namedIn(decidedBy);
  return named && { by: defaultDecider(client), ...named };
}

/**
 * Returns the name to record if the caller gives none: the identity of the Temporal client, cut to the maximum length of a name.
 */
export function defaultDecider(client: Client): string {
  const { identity } = client.workflow.options;
  return Array.from(identity).slice(0, MAX_DECIDER_LENGTH).join('');
}

/**
 * Returns the argument of a preview. Throws `PaysessionError` `INVALID_INPUT` if the id does not have the form of the payment
 * service's ids.
 */
export function previewOf(sessionId: string): PreviewAdopt {
  refuseInvalid(previewFailures({ sessionId }), 'The session id is invalid; nothing was sent');
  return { sessionId };
}

/** Throws the refusal of a preview: an ended session has nothing left to decide. */
export function nothingToPreview(): never {
  throw new PaysessionError('INVALID_INPUT', NOT_PARKED);
}

/**
 * Returns the argument of a decision about a create request. If it is invalid, throws `PaysessionError` `INVALID_INPUT` with
 * every failure.
 */
export function resolutionOf(client: Client, answer: ResolveCreate, options: DecisionOptions): ResolveCreate {
  checkOptions(options, DECISION_OPTIONS);
  const resolution = { by: defaultDecider(client), ...answer, ...namedIn(options) };
  refuseInvalid(resolutionFailures(resolution), 'The resolution is invalid; nothing was sent');
  return resolution;
}
