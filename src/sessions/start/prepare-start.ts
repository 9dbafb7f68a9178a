import { createHash, randomUUID } from 'node:crypto';
import type { WorkflowStartOptions } from '@temporalio/client';
import { validateSessionRequest, type ValidationFailure } from '../../contract';
import { InvalidRequestError } from '../../errors';
import { DEFAULT_ACCOUNT, workflowIdOf, WORKFLOW_TASK_TIMEOUT } from '../../protocol/names';
import { inputFailures, underRequest, type PaymentSessionInput } from '../../protocol/input';
import { startAttributes, startMemo, startSummary } from '../../protocol/temporal/visibility';
import type { PaymentSessionWorkflow } from '../../protocol/state/session';

/** Options of the call that starts a session's workflow. */
export type SessionStartOptions = ReturnType<typeof startOptions>;

/** A session whose input was checked, ready to start. */
export interface PreparedStart {
  readonly key: string;
  /** Distinguishes the session's request from another for the same key. */
  readonly fingerprint: string;
  /**
   * A random mark by which a start recognizes its own session. It is random because it is also part of an update's id, which must not
   * reveal the request.
   */
  readonly mark: string;
  readonly options: SessionStartOptions;
}

/**
 * Checks an input, and returns the start of its session. Throws an `InvalidRequestError` that lists the failures. Copies the input in the
 * form in which Temporal stores it, because the caller may change the same objects for the next session before this one is sent.
 */
export function prepareStart(given: unknown, taskQueue: string): PreparedStart {
  assertValid(given);
  const input = JSON.parse(JSON.stringify(given)) as PaymentSessionInput;
  const fingerprint = fingerprintOf(input);
  const mark = randomUUID();
  const memo = { [FINGERPRINT]: fingerprint, [STARTED_BY]: mark, ...startMemo(input.request) };
  return { key: input.key, fingerprint, mark, options: startOptions(input, memo, taskQueue) };
}

function assertValid(input: unknown): asserts input is PaymentSessionInput {
  const failures = inputFailures(input, requestFailures);
  if (failures.length > 0) throw new InvalidRequestError(failures);
}

function requestFailures(request: unknown): ValidationFailure[] {
  const checked = validateSessionRequest(request);
  return checked.valid ? [] : checked.failures.map(underRequest);
}

/**
 * Returns the options of a call that starts a session's workflow. With these options, Temporal refuses a key that is taken: one key, one
 * session.
 */
function startOptions(input: PaymentSessionInput, memo: Readonly<Record<string, string>>, taskQueue: string) {
  const { key, request } = input;
  return {
    taskQueue,
    workflowId: workflowIdOf(key),
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    memo,
    typedSearchAttributes: startAttributes(input),
    staticSummary: startSummary(request),
    args: [input],
  } satisfies WorkflowStartOptions<PaymentSessionWorkflow>;
}

/** The field of the memo that distinguishes a session's request from another. */
export const FINGERPRINT = 'paymentSessionFingerprint';

/** The field of the memo with the mark of the start. */
export const STARTED_BY = 'paymentSessionStartedBy';

/**
 * Returns a digest of the account and the request, independent of the order of the request's members. It shows whether a key is used
 * again for the same payment. The policy and the metadata are left out: they do not say which payment it is.
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
