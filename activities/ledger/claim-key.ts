import type { Info } from '@temporalio/activity';
import { explain, isErrorCode, isPaysessionError, type ErrorCode } from '../../src/errors';
import type { CreateResult, CreateSessionInput, KeyClaim } from '../../src/protocol/activities/activities';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import { notSent, type PacedService } from '../../src/service';
import type { FirstRunReader } from '../dependencies';
import type { SessionLedger } from './session-ledger';

/** A create whose key is to be claimed. */
export interface ClaimingCreate {
  readonly input: CreateSessionInput;
  readonly info: Pick<Info, 'workflowExecution' | 'activityId'>;
  readonly service: PacedService;
  readonly readFirstRun: FirstRunReader | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Claims the key of a create before anything is sent. Gives the create's result where nothing is to be sent. */
export async function claimKey(
  ledger: SessionLedger,
  claiming: ClaimingCreate,
): Promise<CreateResult | undefined> {
  const { input, service, at } = claiming;
  const { account, request } = input;
  const claim = await claimOf(claiming).catch((error: unknown) => notSent('create', error));
  if ('code' in claim) return { outcome: 'notSent', failure: claim };
  try {
    const answer = await ledger.claim({ ...claim, account, request, at });
    switch (answer.outcome) {
      case 'claimed':
        return undefined;
      case 'created': {
        const { sessionId, lostCreates } = answer;
        // A workflow that an earlier version runs takes no note of them, and would not replay in this one.
        const isTold = input.claim !== undefined && lostCreates !== undefined;
        const checkoutUrl = service.checkoutUrl(sessionId);
        const { referenceId = null } = request;
        const lost = isTold ? { lostCreates } : {};
        return { outcome: 'created', sessionId, checkoutUrl, referenceId, onLedger: true, ...lost };
      }
      case 'ended':
        // A workflow of an earlier version knows no such answer.
        return input.claim === undefined
          ? refused('SESSION_CONFLICT')
          : { outcome: 'recorded', result: answer.result };
      case 'failed':
        return failedBefore(input, answer.code);
      case 'conflict':
        return refused('SESSION_CONFLICT');
      case 'unknown':
        return { outcome: 'unknown', failure: lostBefore(), isRepeated: true, onLedger: true };
    }
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const { code, message } = error;
    // It may have been claimed all the same: the end is recorded if so.
    return { outcome: 'notSent', failure: { code, message }, onLedger: true };
  }
}

/**
 * Who claims which key. A workflow of an earlier version does not say: the Temporal server knows its first run, which is this one unless it
 * was reset or has continued as new. Rejects where that does not answer.
 */
async function claimOf({ input, info, readFirstRun }: ClaimingCreate): Promise<KeyClaim> {
  if (input.claim !== undefined) return input.claim;
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const firstRunId = (await readFirstRun?.({ workflowId, runId })) ?? runId;
  return { key: keyOf(info), firstRunId };
}

/** The key of the session that an activity works for. */
export const keyOf = ({ workflowExecution }: Pick<Info, 'workflowExecution'>): string =>
  (workflowExecution?.workflowId ?? '').slice(WORKFLOW_ID_PREFIX.length);

/** A workflow of an earlier version knows no such answer, and this version not every code of a later one. */
function failedBefore({ claim }: CreateSessionInput, code: ErrorCode): CreateResult {
  if (claim === undefined || !isErrorCode(code)) return refused('SESSION_CONFLICT');
  return { outcome: 'failedBefore', failure: { code, message: explain(code) } };
}

/** The code is one that no repetition can help: the workflow fails with it. */
function refused(code: ErrorCode): CreateResult {
  return { outcome: 'notSent', failure: { code, message: explain(code) } };
}

function lostBefore() {
  const code = 'SERVICE_INTERRUPTED' as const;
  const happened =
    'An earlier workflow, which the Temporal server has forgotten, claimed the key; its create request may have reached the service.';
  return { code, message: `${happened} ${explain(code)}` };
}
