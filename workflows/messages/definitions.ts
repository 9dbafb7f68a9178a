import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { MESSAGES } from '../../src/protocol/names';
import type { CancelReply, OpenedSession, RevealReply, SessionState } from '../../src/protocol/state/session';
import type { DecidedBy, ResolveCreate } from '../../src/protocol/decisions';
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/adopt-preview';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';

/**
 * Cancels the session, whatever it is doing. Who cancels and why is recorded where the argument says so; one that cannot be
 * used is ignored.
 */
export const cancelSignal = defineSignal<[DecidedBy?]>(MESSAGES.cancel);

/** The session's current state. */
export const stateQuery = defineQuery<SessionState>(MESSAGES.state);

/** Every state the session was seen in, oldest first. */
export const stateHistoryQuery = defineQuery<readonly StateHistoryEntry[]>(MESSAGES.stateHistory);

/** Waits until the session is created at the service. Fails with an error code if it never will be, or if it is parked. */
export const awaitOpenedUpdate = defineUpdate<OpenedSession>(MESSAGES.awaitOpened);

/** Cancels the session and waits for the outcome. Takes who cancels and why, which it records; or nothing. */
export const cancelAndWaitUpdate = defineUpdate<CancelReply>(MESSAGES.cancelAndWait);

/** Polls the service at once and answers with the state then. Takes who asks and why, which it records; or nothing. */
export const refreshUpdate = defineUpdate<SessionState>(MESSAGES.refresh);

/** Waits for a revision of the session's state other than the one that is given; answers at once where it is another. */
export const awaitChangeUpdate = defineUpdate<SessionState, [number]>(MESSAGES.awaitChange);

/** Settles a create request with an unknown outcome. Rejected unless the session is parked. */
export const resolveCreateUpdate = defineUpdate<SessionState, [ResolveCreate]>(MESSAGES.resolveCreate);

/**
 * Looks at a session of the payment service that `resolveCreate` may adopt, and answers with what the service says of it. Changes
 * nothing. Rejected unless the session is parked.
 */
export const previewAdoptUpdate = defineUpdate<AdoptPreview, [PreviewAdopt]>(MESSAGES.previewAdopt);

/** Records that a person looks at the personal data of the session's request. */
export const recordRevealUpdate = defineUpdate<RevealReply, [DecidedBy]>(MESSAGES.recordReveal);
