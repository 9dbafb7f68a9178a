import { createHash } from 'node:crypto';
import type { WorkflowStartOptions } from '@temporalio/client';
import { validateSessionRequest, type ValidationFailure } from '../../contract';
import { InvalidRequestError } from '../../errors';
import { DEFAULT_ACCOUNT, workflowIdOf, WORKFLOW_TASK_TIMEOUT } from '../../protocol/names';
import { inputFailures, underRequest, type PaymentSessionInput } from '../../protocol/input';
import { startAttributes, startMemo, startSummary } from '../../protocol/temporal/visibility';
import type { PaymentSessionWorkflow } from '../../protocol/state/session';

/** How a session's workflow is started. */
export type SessionStartOptions = ReturnType<typeof startOptions>;

/** A session that may be started: its input was checked. */
export interface PreparedStart {
  readonly key: string;
  /** Tells its request from another for the same key. */
  readonly fingerprint: string;
  readonly options: SessionStartOptions;
}

/** Checks an input. Throws `InvalidRequestError` listing everything that is wrong with it. */
export function prepareStart(input: unknown, taskQueue: string): PreparedStart {
  assertValid(input);
  const fingerprint = fingerprintOf(input);
  return { key: input.key, fingerprint, options: startOptions(input, fingerprint, taskQueue) };
}

function assertValid(input: unknown): asserts input is PaymentSessionInput {
  const failures = inputFailures(input, requestFailures);
  if (failures.length > 0) throw new InvalidRequestError(failures);
}

function requestFailures(request: unknown): ValidationFailure[] {
  const checked = validateSessionRequest(request);
  return checked.valid ? [] : checked.failures.map(underRequest);
}

/** How a session's workflow is started, by whatever way: one key, one session, with the fingerprint of its request. */
function startOptions(input: PaymentSessionInput, fingerprint: string, taskQueue: string) {
  const { key, request } = input;
  return {
    taskQueue,
    workflowId: workflowIdOf(key),
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    memo: { [FINGERPRINT]: fingerprint, ...startMemo(request) } as Readonly<Record<string, string>>,
    typedSearchAttributes: startAttributes(input),
    staticSummary: startSummary(request),
    args: [input],
  } satisfies WorkflowStartOptions<PaymentSessionWorkflow>;
}

/** The field of the memo that tells a session's request from another. */
export const FINGERPRINT = 'paymentSessionFingerprint';

/**
 * What tells whether a key is used again for the same payment: a digest of the request and the account, whatever the
 * order of their members. The policy is left out: it says how to follow a payment, not which payment it is.
 */
export function fingerprintOf({ account, request }: PaymentSessionInput): string {
  const text = JSON.stringify([account ?? DEFAULT_ACCOUNT, canonical(request)]);
  return createHash('sha256').update(text).digest('base64url');
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
