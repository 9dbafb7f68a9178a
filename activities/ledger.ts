/**
 * Claims keys and records states in the ledger, for the activities. A claim is the ledger's record that a key belongs to one workflow.
 */
import { Context, type Info } from '@temporalio/activity';
import {
  explain,
  isErrorCode,
  isPaysessionError,
  PaysessionError,
  SessionConflictError,
  type ErrorCode,
  type SessionFault,
  withRemedy,
} from '../src/errors';
import { WORKFLOW_ID_PREFIX, workflowIdOf } from '../src/protocol/names';
import type { PacedService } from '../src/service';
import type { ClaimOf, LedgerClaimAnswer, LedgerFact } from '../src/protocol/ledger/facts';
import type { StateSource } from '../src/protocol/state/recorded';
import { newState } from '../src/protocol/ledger/session-facts';
import type {
  CancelResult,
  CreateSessionInput,
  EndedCreate,
  FindResult,
  KeyClaim,
  PollResult,
  SessionInput,
} from '../src/protocol/activities';

/** The ledger as activities use it. */
export interface SessionLedger {
  /**
   * Claims a session's key for ever. Throws `PaysessionError` if the claim fails, or if the claim's outcome is unknown. The create
   * request must then not be sent. `at` is ISO 8601, UTC.
   */
  claim(
    claim: KeyClaim & Pick<CreateSessionInput, 'account' | 'request'> & { readonly at: string },
  ): Promise<LedgerClaimAnswer>;
  /**
   * Records facts of a workflow's claim, once each. Never rejects, and waits only briefly. Facts that could not be recorded are
   * recorded later. If the ledger refuses the session, for instance because another key has it, records nothing and resolves with the
   * reason.
   */
  record(claim: ClaimOf, facts: readonly LedgerFact[]): Promise<SessionFault | undefined>;
  /**
   * Records a person's decision that a session of the payment service belongs to a workflow's claim. If another key has the session,
   * records nothing and returns that key. Throws `PaysessionError` if the ledger cannot be written.
   */
  adopt(
    claim: ClaimOf,
    adopted: { readonly sessionId: string; readonly at: string },
  ): Promise<string | undefined>;
  /**
   * Returns the key that follows this session of the payment service; `undefined` if the ledger knows no such key. Throws
   * `PaysessionError` if the ledger cannot be read.
   */
  followerOf(sessionId: string): Promise<string | undefined>;
}

/** A create request, whose key must be claimed first. */
export interface ClaimingCreate {
  readonly input: Pick<CreateSessionInput, 'account' | 'request' | 'claim'>;
  readonly serviceOf: (account: string) => Pick<PacedService, 'checkoutUrl'>;
  /** The time of the claim: see {@link askedAt}. */
  readonly at: string;
}

/** Claims the key of a create. Returns `undefined` if the create may be sent. Otherwise, returns the create's result. */
export async function claimKey(
  ledger: SessionLedger,
  create: ClaimingCreate,
): Promise<EndedCreate | undefined> {
  try {
    return await claimKeyOrThrow(ledger, create);
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return notSentFor(error);
  }
}

/**
 * Returns the result of a create that is not sent because of an error, usually an error of the ledger. The ledger may have claimed the
 * key in spite of the error. So the result has `onLedger`, which makes the workflow record its end in the ledger.
 */
export function notSentFor({ code, message }: PaysessionError): EndedCreate {
  return { outcome: 'notSent', failure: { code, message }, onLedger: true };
}

/** Returns the error of a worker without a ledger, for a session whose key is claimed in a ledger, or may be. */
export function withoutLedger(): PaysessionError {
  const code = 'LEDGER_UNAVAILABLE';
  return new PaysessionError(
    code,
    'The session’s key is claimed on a ledger, and this worker has none: set PAYSESSION_LEDGER_URL for it.',
  );
}

/** As `claimKey`, but throws a `PaysessionError` where `claimKey` returns the error as the create's result. */
export async function claimKeyOrThrow(
  ledger: SessionLedger,
  { input: { account, request, claim }, serviceOf, at }: ClaimingCreate,
): Promise<EndedCreate | undefined> {
  const answer = await ledger.claim({ ...claim, account, request, at });
  switch (answer.outcome) {
    case 'claimed':
      return undefined;
    case 'created': {
      const { outcome, ...session } = answer;
      // Only this answer needs the account. A worker without the account can still report all other answers.
      const checkoutUrl = serviceOf(account).checkoutUrl(session.sessionId);
      return { outcome, ...session, checkoutUrl, referenceId: request.referenceId ?? null, onLedger: true };
    }
    case 'ended':
      return { outcome: 'recorded', result: answer.result };
    case 'failed':
      return failedBefore(claim.key, answer.code);
    case 'conflict':
      return refused(new SessionConflictError(claim.key, answer.differences));
    case 'late':
      return { outcome: 'notSent', failure: askedLate() };
    case 'unknown':
      // `isRepeated`: an earlier create request may have been sent, so this one is not sent.
      return { ...answer, failure: lostBefore(), isRepeated: true, onLedger: true };
  }
}

/**
 * Throws `PaysessionError` `INVALID_INPUT` if the workflow's id does not belong to its key. Under another id, one payment could be
 * started twice. The workflow itself cannot check this, because its history may be replayed under any id.
 */
export function checkWorkflowId({ workflowExecution }: Pick<Info, 'workflowExecution'>, key: string): void {
  if (workflowExecution?.workflowId === workflowIdOf(key)) return;
  const code = 'INVALID_INPUT';
  throw new PaysessionError(code, `The workflow's id must be "${WORKFLOW_ID_PREFIX}" followed by its key.`);
}

/** Returns the failure of an earlier workflow. If this version does not know the failure's code, returns a conflict. */
function failedBefore(key: string, code: ErrorCode): EndedCreate {
  if (!isErrorCode(code)) return refused(new SessionConflictError(key));
  return { outcome: 'failedBefore', failure: { code, message: explain(code) } };
}

/** Returns a result after which the workflow fails with the error's code, because repeating cannot help. */
function refused({ code, message }: SessionConflictError): EndedCreate {
  return { outcome: 'notSent', failure: { code, message } };
}

/** Returns a failure after which the workflow claims its key again, if it still runs. */
function askedLate() {
  const code = 'LEDGER_UNAVAILABLE' as const;
  const happened =
    'Since this workflow asked for its key, the ledger has recorded the workflow’s end, or another workflow of the key.';
  return { code, message: `${happened} The workflow asks again.` };
}

function lostBefore() {
  const code = 'SERVICE_INTERRUPTED' as const;
  const happened =
    'The ledger knows of a create request that may have reached the service, and that this workflow does not know of.';
  return { code, message: withRemedy(code, happened) };
}

/** The result of a call to the service. Most results show the session's state. */
type CallResult = CancelResult | FindResult | PollResult;

/** Records the state in a call's result in the ledger, if the state is new and the ledger answers soon. Does not reject. */
type StateRecorder = (result: CallResult) => Promise<void>;

/** The ledger that records states, and its clock. */
interface RecordingOptions {
  readonly ledger?: SessionLedger;
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: () => number;
}

/**
 * Returns a function that creates a session's recorder. A recorder records states in the ledger before the workflow receives them. The
 * function returns `undefined` if there is no ledger, or if the session is not in the ledger.
 */
export function stateRecorders({
  ledger,
  now,
}: RecordingOptions): (input: SessionInput, source: StateSource) => StateRecorder | undefined {
  return ({ onLedger: place, sessionId }, source) => {
    if (ledger === undefined || place === undefined) return undefined;
    const openedAt = askedAt(Context.current().info);
    return async (result) => {
      if (!('snapshot' in result)) return;
      const facts = newState(place, result.snapshot, { source, at: isoTime(now) });
      if (facts.length === 0) return;
      // The session's opening may not have been recorded, so it is recorded again with each state. Its time comes from the Temporal
      // server's clock. If a worker's clock were fast, a session that the key opens later could seem older, and would be ignored.
      const opened = { kind: 'opened', at: openedAt, sessionId, how: 'found' } as const;
      await ledger.record(place, [opened, ...facts]);
    };
  };
}

/** Waits for a call, records the state in the call's result, and returns the result. */
export async function recording<T extends CallResult>(
  recorder: StateRecorder | undefined,
  call: Promise<T>,
): Promise<T> {
  const result = await call;
  await recorder?.(result);
  return result;
}

/**
 * Returns the time at which the workflow asked for the activity; ISO 8601, UTC. Like the time of the workflow's end, it comes from the
 * Temporal server's clock, so the two times can be compared.
 */
export const askedAt = ({ scheduledTimestampMs }: Pick<Info, 'scheduledTimestampMs'>): string =>
  new Date(scheduledTimestampMs).toISOString();

/** Returns the current time of a clock; ISO 8601, UTC. */
const isoTime = (now: () => number = Date.now): string => new Date(now()).toISOString();
