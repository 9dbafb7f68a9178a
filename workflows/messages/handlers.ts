import {
  ApplicationFailure,
  CancellationScope,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import type { RawValue, UpdateDefinition } from '@temporalio/common';
import { ERROR_CODES } from '../../src/errors/codes';
import {
  awaitChangeUpdate,
  awaitOpenedUpdate,
  cancelAndWaitUpdate,
  cancelSignal,
  previewAdoptUpdate,
  recordRevealUpdate,
  refreshUpdate,
  resolveCreateUpdate,
  stateHistoryQuery,
  stateQuery,
} from './definitions';
import type { CancelReply, OpenedSession, SessionState } from '../../src/protocol/state/session';
import { type AdoptPreview, type PreviewAdopt, previewFailures } from '../../src/protocol/adopt-preview';
import {
  type DecidedBy,
  type ResolveCreate,
  namedIn,
  NOT_PARKED,
  PARKED_AGAIN,
  resolutionFailures,
} from '../../src/protocol/decisions';
import type { Trouble } from '../../src/protocol/state/recorded';
import type { SessionFailure } from '../../src/errors/failures';
import {
  checkDecidedBy,
  checkRevision,
  decodeArguments,
  invalid,
  onlyArgument,
  RAW_ARGUMENTS,
  refuseFailures,
  takeNone,
  usableDecidedBy,
} from './arguments';
import { noteSuggestion } from '../per-run';
import type { Session } from '../session';
import { waitingRoom, type Until } from './waiting-callers';
import { beginPreview } from '../create/named-session';

/**
 * Registers all handlers of a session's messages. Must run before the workflow's first await: earlier signals are
 * delivered during this call, and updates without a handler are rejected.
 *
 * Queries ignore their arguments. Updates reject invalid arguments. The cancel signal ignores invalid arguments,
 * because the Temporal server has already accepted the cancel.
 *
 * On purpose, there is no default handler for unknown signals. The SDK would decode the arguments for that handler,
 * and an argument that cannot be decoded would fail the workflow task for ever.
 */
export function registerHandlers(session: Session): void {
  setHandler(received(stateQuery), () => session.state(), { description: 'The session’s current state.' });
  setHandler(received(stateHistoryQuery), () => session.record.stateHistory, {
    description: 'The states that the session was seen in, oldest first: the first 200.',
  });
  setHandler(
    defineSignal<RawValue[]>(cancelSignal.name, { typeInfo: RAW_ARGUMENTS }),
    (...args) => {
      session.requestCancel('caller', usableDecidedBy(args));
    },
    { description: 'Cancels the session.' },
  );
  const until = waitingRoom(session, (code) => refusal({ code, message: ERROR_CODES[code].meaning }));
  onUpdate(
    awaitOpenedUpdate,
    (argument) => {
      takeNone(argument);
      // A rejected update adds no event to the history, so a page may ask a parked session repeatedly.
      if (session.record.parked) throw notOpened(session);
    },
    () => awaitOpened(session, until),
  );
  onUpdate(cancelAndWaitUpdate, checkDecidedBy, (who) => cancelAndWait(session, until, namedIn(who ?? {})));
  onUpdate(refreshUpdate, checkDecidedBy, (who) => refresh(session, until, namedIn(who ?? {})));
  onUpdate(recordRevealUpdate, checkDecidedBy, (who) => {
    const kept = session.recordReveal(namedIn(who ?? {}));
    return Promise.resolve({ kept, state: session.state() });
  });
  onUpdate(awaitChangeUpdate, checkRevision, (revision) => awaitChange(session, revision, until));
  onUpdate(
    resolveCreateUpdate,
    (answer) => {
      refuseFailures(resolutionFailures(answer));
      if (session.isAnswered()) return;
      if (!session.record.parked || session.resolution !== undefined) throw notParked();
      // The cast is safe, because `resolutionFailures` has accepted the answer.
      const { park } = answer as ResolveCreate;
      if (park != null && park !== session.record.parks?.at(-1)?.id) throw invalid(PARKED_AGAIN);
    },
    (answer) => resolveCreate(session, answer, until),
  );
  onUpdate(
    previewAdoptUpdate,
    (asked) => {
      refuseFailures(previewFailures(asked));
      if (!session.record.parked) throw notParked();
    },
    (asked) => previewAdopt(session, asked, until),
  );
}

/** Changes a message's definition so that the handler receives the arguments undecoded. */
function received<D extends { readonly name: string }>(definition: D) {
  return { ...definition, typeInfo: RAW_ARGUMENTS };
}

/**
 * Registers an update with at most one argument. `check` throws to refuse the update. The handler receives only
 * arguments that `check` has accepted.
 */
function onUpdate<T, A extends unknown[]>(
  { name }: UpdateDefinition<T, A>,
  check: (argument: unknown) => void,
  handler: (...accepted: A) => Promise<T>,
): void {
  const definition = defineUpdate<T, RawValue[]>(name, { typeInfo: RAW_ARGUMENTS });
  const answer = (args: readonly RawValue[]) => handler(...(decodeArguments(args.slice(0, 1)) as A));
  const accepted = (...args: RawValue[]) => {
    noteSuggestion();
    // A cancel of the workflow must not stop the handler.
    return CancellationScope.nonCancellable(() => answer(args));
  };
  setHandler(definition, accepted, {
    validator: (...args) => {
      check(onlyArgument(args));
    },
  });
}

/** Cancels the session if the workflow itself is cancelled. */
export function cancelWithWorkflow(session: Session): void {
  CancellationScope.current().cancelRequested.catch(() => {
    session.requestCancel('caller');
  });
}

async function awaitOpened(session: Session, until: Until): Promise<OpenedSession> {
  const isGivenBack = session.openings.ask();
  await until(() => session.record.sessionId !== undefined || session.record.parked || isGivenBack());
  const { sessionId, checkoutUrl, trouble } = session.record;
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  throw isGivenBack() && trouble !== undefined && !session.closing()
    ? stillWaits(trouble)
    : notOpened(session);
}

async function cancelAndWait(
  session: Session,
  until: Until,
  decidedBy: DecidedBy | undefined,
): Promise<CancelReply> {
  if (session.closing()) return { outcome: 'alreadyEnded', state: session.state() };
  session.requestCancel('caller', decidedBy);
  await until(() => !session.cancelPending() || session.record.parked);
  const outcome = session.record.cancel?.outcome;
  if (outcome !== undefined) return { outcome, state: session.state() };
  throw notOpened(session, ' The cancellation is recorded, and carried out after the decision.');
}

async function refresh(
  session: Session,
  until: Until,
  decidedBy: DecidedBy | undefined,
): Promise<SessionState> {
  if (session.isAnswered()) return session.state();
  const served = session.requestRefresh(decidedBy);
  await until(() => served() || session.record.parked);
  if (decidedBy !== undefined) session.answered(currentUpdateInfo()?.id);
  return session.state();
}

async function awaitChange(session: Session, revision: number, until: Until): Promise<SessionState> {
  await until(() => session.record.revision !== revision);
  return session.state();
}

/**
 * Passes a person’s decision to the workflow's main function, and waits until the decision is carried out or
 * refused.
 */
async function resolveCreate(session: Session, answer: ResolveCreate, until: Until): Promise<SessionState> {
  if (session.isAnswered()) return session.state();
  session.resolveCreate(answer);
  await until(() => session.resolution === undefined, { stays: true });
  return session.state();
}

/**
 * Previews an adoption while the session is parked. If the session is decided about or ends first, stops the
 * preview.
 */
async function previewAdopt(
  session: Session,
  { sessionId }: PreviewAdopt,
  until: Until,
): Promise<AdoptPreview> {
  const preview = beginPreview(session, sessionId);
  try {
    await until(() => preview.answer !== undefined || !session.record.parked);
  } finally {
    preview.stop();
  }
  if (preview.answer === undefined) throw notParked();
  return preview.answer;
}

const notParked = (): ApplicationFailure => invalid(NOT_PARKED);

/** Returns the failure that says why there is no opened session. */
function notOpened(session: Session, andThen = ''): ApplicationFailure {
  if (session.failure !== undefined) return refusal(session.failure);
  const code = session.record.parked ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  return refusal({ code, message: `${ERROR_CODES[code].meaning}${andThen}` });
}

/** Returns the failure that says why no worker could open the session so far. */
function stillWaits({ code, message }: Trouble): ApplicationFailure {
  const more = 'The session keeps waiting, and opens automatically once a worker can open it.';
  return refusal({ code, message: `${message} ${more}` });
}

/** Returns the failure of an update. Its type is the error code. Its detail is the failure as plain data. */
function refusal(failure: SessionFailure): ApplicationFailure {
  const { code: type, message } = failure;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [failure] });
}
