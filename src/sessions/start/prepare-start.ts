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

/** A start whose input was checked. It is ready to be sent. */
export interface PreparedStart {
  readonly key: string;
  /** A digest of the request and the account. If the key's session has another one, that session is for another payment. */
  readonly fingerprint: string;
  /**
   * A random text by which a start recognizes the session that it created itself. `open` also uses it in the id of the update that it
   * sends with the start: two starts must not share an update, and the id must not reveal the request.
   */
  readonly mark: string;
  readonly options: SessionStartOptions;
}

/**
 * Checks an input, and returns the start of its session. Throws an `InvalidRequestError` that lists the failures. Copies the input
 * through JSON, as Temporal stores it. So the start stays the same if the caller changes the input's objects before the start is sent.
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
 * Returns the options of a call that starts a session's workflow. With these options, Temporal refuses the call if the key already has a
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

/** The memo field with the fingerprint, a digest of the session's request and account. */
export const FINGERPRINT = 'paymentSessionFingerprint';

/** The memo field with the mark of the start, see `PreparedStart.mark`. */
export const STARTED_BY = 'paymentSessionStartedBy';

/**
 * Returns a digest of the account and the request. If two starts with one key have equal digests, they are for the same payment. The
 * order of the request's members does not matter. The policy and the metadata are left out, because they do not identify the payment.
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
