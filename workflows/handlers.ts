import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import { ERROR_CODES } from '../src/errors/codes';
import { checkResolution, invalid } from './input';
import {
  awaitOpenedUpdate,
  cancelAndWaitUpdate,
  cancelSignal,
  refreshUpdate,
  resolveCreateUpdate,
  stateHistoryQuery,
  stateQuery,
} from './messages';
import type { CancelReply, OpenedSession, ResolveCreate, SessionFailure, SessionState } from './protocol';
import type { Session } from './session';
import { WaitingRoom } from './waiting';

/**
 * Registers every handler. Must run before the workflow's first await: signals that arrived earlier are delivered
 * inside, and updates without a handler are rejected.
 */
export function registerHandlers(session: Session): void {
  setHandler(stateQuery, () => session.state(), { description: 'What the session is doing now.' });
  setHandler(stateHistoryQuery, () => session.record.stateHistory, {
    description: 'Every state seen, oldest first.',
  });
  setHandler(
    cancelSignal,
    () => {
      requestCancel(session);
    },
    { description: 'Cancels the session.' },
  );
  const room = new WaitingRoom(session);
  const until: Until = async (happened) => {
    const sentAway = await room.wait(() => happened() || session.closing());
    if (sentAway !== undefined) throw refusal({ code: sentAway, message: ERROR_CODES[sentAway].meaning });
  };
  setHandler(awaitOpenedUpdate, () => shielded(() => awaitOpened(session, until)));
  setHandler(cancelAndWaitUpdate, () => shielded(() => cancelAndWait(session, until)));
  setHandler(refreshUpdate, () => shielded(() => refresh(session, until)));
  setHandler(resolveCreateUpdate, (answer) => shielded(() => resolveCreate(session, answer, until)), {
    validator: (answer) => {
      validateResolution(session, answer);
    },
  });
}

/** Cancelling the workflow itself is a cancel of the session as any other. */
export function cancelWithWorkflow(session: Session): void {
  CancellationScope.current().cancelRequested.catch(() => {
    requestCancel(session);
  });
}

function requestCancel(session: Session): void {
  session.apply({ type: 'cancelRequested', by: 'caller' });
}

/** Handlers answer even after the workflow was asked to cancel. */
function shielded<T>(handler: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(handler);
}

/** Waits until something happened or the session is closing; throws when the caller is sent away before. */
type Until = (happened: () => boolean) => Promise<void>;

async function awaitOpened(session: Session, until: Until): Promise<OpenedSession> {
  await until(() => session.record.sessionId !== undefined || session.record.parked);
  const { sessionId, checkoutUrl } = session.record;
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  throw notOpened(session);
}

async function cancelAndWait(session: Session, until: Until): Promise<CancelReply> {
  if (session.closing()) return { outcome: 'alreadyEnded', state: session.state() };
  requestCancel(session);
  await until(() => !session.cancelPending() || session.record.parked);
  const outcome = session.record.cancel?.outcome;
  if (outcome !== undefined) return { outcome, state: session.state() };
  throw notOpened(session);
}

async function refresh(session: Session, until: Until): Promise<SessionState> {
  session.refreshesAsked += 1;
  const ticket = session.refreshesAsked;
  await until(() => session.refreshesServed >= ticket || session.record.parked);
  return session.state();
}

async function resolveCreate(session: Session, answer: ResolveCreate, until: Until): Promise<SessionState> {
  session.resolution = answer;
  await until(() => session.resolution === undefined);
  return session.state();
}

function validateResolution(session: Session, answer: unknown): void {
  checkResolution(answer);
  if (!session.record.parked || session.resolution !== undefined) {
    throw invalid('No create with an unknown outcome is waiting: there is nothing to resolve.');
  }
}

/** Why there is no opened session to answer with. */
function notOpened(session: Session): ApplicationFailure {
  if (session.failure !== undefined) return refusal(session.failure);
  const code = session.record.parked ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  return refusal({ code, message: ERROR_CODES[code].meaning });
}

/** An update's failure: its type is the error code, its detail the failure as plain data. */
function refusal(failure: SessionFailure): ApplicationFailure {
  const { code: type, message } = failure;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [failure] });
}
