import type { Info } from '@temporalio/activity';
import { explain, isErrorCode, isPaysessionError, PaysessionError, type ErrorCode } from '../../src/errors';
import type { CreateSessionInput, EndedCreate } from '../../src/protocol/activities';
import { WORKFLOW_ID_PREFIX, workflowIdOf } from '../../src/protocol/names';
import type { PacedService } from '../../src/service';
import type { SessionLedger } from './session-ledger';

/** A create whose key is to be claimed. */
export interface ClaimingCreate {
  readonly input: Pick<CreateSessionInput, 'account' | 'request' | 'claim'>;
  readonly service: Pick<PacedService, 'checkoutUrl'>;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Claims the key of a create before anything is sent. Gives the create's result where nothing is to be sent. */
export async function claimKey(
  ledger: SessionLedger,
  create: ClaimingCreate,
): Promise<EndedCreate | undefined> {
  try {
    return await knownOfKey(ledger, create);
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const { code, message } = error;
    // It may have been claimed all the same: the end is recorded if so.
    return { outcome: 'notSent', failure: { code, message }, onLedger: true };
  }
}

/** The same, but throws `PaysessionError` while the ledger does not answer. */
export async function knownOfKey(
  ledger: SessionLedger,
  { input: { account, request, claim }, service, at }: ClaimingCreate,
): Promise<EndedCreate | undefined> {
  const answer = await ledger.claim({ ...claim, account, request, at });
  switch (answer.outcome) {
    case 'claimed':
      return undefined;
    case 'created': {
      const { outcome, ...session } = answer;
      const checkoutUrl = service.checkoutUrl(session.sessionId);
      return { outcome, ...session, checkoutUrl, referenceId: request.referenceId ?? null, onLedger: true };
    }
    case 'ended':
      return { outcome: 'recorded', result: answer.result };
    case 'failed':
      return failedBefore(answer.code);
    case 'conflict':
      return refused('SESSION_CONFLICT');
    case 'unknown':
      return { ...answer, failure: lostBefore(), isRepeated: true, onLedger: true };
  }
}

/**
 * Throws `PaysessionError` `INVALID_INPUT` unless the workflow's id is that of its key: under another id, one payment could be started twice.
 * An activity checks it, since a history may be replayed under any id.
 */
export function checkWorkflowId({ workflowExecution }: Pick<Info, 'workflowExecution'>, key: string): void {
  if (workflowExecution?.workflowId === workflowIdOf(key)) return;
  const code = 'INVALID_INPUT';
  throw new PaysessionError(
    code,
    `The workflow's id must be "${WORKFLOW_ID_PREFIX}" with its key behind it.`,
  );
}

/** A later version may have recorded a code that this one does not know. */
function failedBefore(code: ErrorCode): EndedCreate {
  if (!isErrorCode(code)) return refused('SESSION_CONFLICT');
  return { outcome: 'failedBefore', failure: { code, message: explain(code) } };
}

/** The code is one that no repetition can help: the workflow fails with it. */
function refused(code: ErrorCode): EndedCreate {
  return { outcome: 'notSent', failure: { code, message: explain(code) } };
}

function lostBefore() {
  const code = 'SERVICE_INTERRUPTED' as const;
  const happened =
    'The ledger knows of a create request that may have reached the service, and that this workflow does not know of.';
  return { code, message: `${happened} ${explain(code)}` };
}
