import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { MESSAGES } from '../../src/protocol/names';
import type { CancelReply, OpenedSession, RevealReply, SessionState } from '../../src/protocol/state/session';
import type { DecidedBy, ResolveCreate } from '../../src/protocol/decisions';
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/adopt-preview';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';

/** The argument of an update that may name who asks and why. */
type Named = [DecidedBy | null | undefined];

/**
 * Cancels the session. A parked session is cancelled after the decision. The argument may name who cancels and why, and
 * the session records that. The session ignores an argument that it cannot use.
 *
 * @example
 * ```ts
 * import { cancelSignal } from 'paysession/workflows';
 * await client.workflow.getHandle('payment-session/order-1042').signal(cancelSignal, { by: 'Sam' });
 * ```
 */
export const cancelSignal = defineSignal<[DecidedBy?]>(MESSAGES.cancel);

/**
 * The session's current state.
 *
 * @example
 * ```ts
 * import { stateQuery } from 'paysession/workflows';
 * const { phase, paid } = await client.workflow.getHandle('payment-session/order-1042').query(stateQuery);
 * ```
 */
export const stateQuery = defineQuery<SessionState>(MESSAGES.state);

/** The states that the session was seen in, oldest first: the first 200. */
export const stateHistoryQuery = defineQuery<readonly StateHistoryEntry[]>(MESSAGES.stateHistory);

/**
 * Waits until the session is created at the service. Fails with an error code if the session cannot be created, if it is
 * parked, or if workers lack the account's credentials.
 */
export const awaitOpenedUpdate = defineUpdate<OpenedSession>(MESSAGES.awaitOpened);

/**
 * Cancels the session and waits for the outcome. Fails with `CREATE_OUTCOME_UNKNOWN` if the session is parked: it is
 * then cancelled after the decision. The optional argument names who cancels and why, and the session records that.
 */
export const cancelAndWaitUpdate = defineUpdate<CancelReply, Named>(MESSAGES.cancelAndWait);

/**
 * Polls the service as soon as the policy's `refreshSpacing` and the service allow, and answers with the resulting state.
 * A parked session is not polled. The optional argument names who asks and why, and the session records that.
 */
export const refreshUpdate = defineUpdate<SessionState, Named>(MESSAGES.refresh);

/** Answers with the session's state once its revision differs from the given one, or the session has ended. */
export const awaitChangeUpdate = defineUpdate<SessionState, [number]>(MESSAGES.awaitChange);

/**
 * Settles a create request with an unknown outcome. Rejected if the session is not parked, already has a decision, or
 * waits because of another create request than `park` names. An update whose id was answered recently is answered again.
 */
export const resolveCreateUpdate = defineUpdate<SessionState, [ResolveCreate]>(MESSAGES.resolveCreate);

/**
 * Reads a session of the payment service that `resolveCreate` may adopt, and answers with the service's data about
 * it. Changes nothing. Rejected unless the session is parked.
 */
export const previewAdoptUpdate = defineUpdate<AdoptPreview, [PreviewAdopt]>(MESSAGES.previewAdopt);

/** Records that a person reads the personal data in the session's request. */
export const recordRevealUpdate = defineUpdate<RevealReply, Named>(MESSAGES.recordReveal);
