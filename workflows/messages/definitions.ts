import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { MESSAGES } from '../../src/protocol/names';
import type { CancelReply, OpenedSession, RevealReply, SessionState } from '../../src/protocol/state/session';
import type { DecidedBy, ResolveCreate } from '../../src/protocol/decisions';
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/adopt-preview';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';

/** The argument of an update that may name the person who asks, and the reason. */
type Named = [DecidedBy | null | undefined];

/**
 * The signal that cancels a session. A parked session, which waits for a person's decision, is cancelled after the
 * decision. The optional argument names the person who cancels and the reason, and the session records both. An invalid
 * argument is ignored: the session is still cancelled.
 *
 * @example
 * ```ts
 * import { cancelSignal } from 'paysession/workflows';
 * await client.workflow.getHandle('payment-session/order-1042').signal(cancelSignal, { by: 'Sam' });
 * ```
 */
export const cancelSignal = defineSignal<[DecidedBy?]>(MESSAGES.cancel);

/**
 * The query for a session's current state.
 *
 * @example
 * ```ts
 * import { stateQuery } from 'paysession/workflows';
 * const { phase, paid } = await client.workflow.getHandle('payment-session/order-1042').query(stateQuery);
 * ```
 */
export const stateQuery = defineQuery<SessionState>(MESSAGES.state);

/** The query for the first 200 states in which workers saw the session, oldest first. */
export const stateHistoryQuery = defineQuery<readonly StateHistoryEntry[]>(MESSAGES.stateHistory);

/**
 * The update that waits until the session is created at the service. Fails with an error code if the session cannot be
 * created, if it is parked, or if workers lack the account's credentials.
 */
export const awaitOpenedUpdate = defineUpdate<OpenedSession>(MESSAGES.awaitOpened);

/**
 * The update that cancels the session and waits for the outcome. If the session is parked, fails with
 * `CREATE_OUTCOME_UNKNOWN`, and the session is cancelled after the decision. The optional argument names the person who
 * cancels and the reason, and the session records both.
 */
export const cancelAndWaitUpdate = defineUpdate<CancelReply, Named>(MESSAGES.cancelAndWait);

/**
 * The update that polls the service, as soon as the policy's `refreshSpacing` and the service allow. Answers with the
 * state after the poll. A parked session is not polled. The optional argument names the person who asks and the reason,
 * and the session records both.
 */
export const refreshUpdate = defineUpdate<SessionState, Named>(MESSAGES.refresh);

/**
 * The update that waits for a change. Answers with the session's state once the state's revision differs from the given
 * revision, or once the session has ended.
 */
export const awaitChangeUpdate = defineUpdate<SessionState, [number]>(MESSAGES.awaitChange);

/**
 * The update that decides about a create request with an unknown outcome. Rejected if the session is not parked, if it
 * already has a decision, or if `park` names an earlier wait. If an update with the same id was answered recently, it is
 * answered again.
 */
export const resolveCreateUpdate = defineUpdate<SessionState, [ResolveCreate]>(MESSAGES.resolveCreate);

/**
 * The update that reads a session of the payment service which `resolveCreate` could adopt. Answers with the service's
 * data about that session. Changes nothing. Rejected unless the session is parked.
 */
export const previewAdoptUpdate = defineUpdate<AdoptPreview, [PreviewAdopt]>(MESSAGES.previewAdopt);

/** The update that records that a person views the personal data in the session's request. */
export const recordRevealUpdate = defineUpdate<RevealReply, Named>(MESSAGES.recordReveal);
