import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import {
  InternalWorkflowStartOptionsSymbol,
  type InternalWorkflowStartOptions,
} from '@temporalio/client/lib/internal';
import { SessionConflictError } from '../../errors';
import { WORKFLOW_TYPE } from '../../protocol/names';
import type { PaymentSessionWorkflow } from '../../protocol/state/session';
import { failed, withTimeout } from '../calls/engine-errors';
import { lookAtHolder, type KeyHolder, type SessionEnd } from './key-holder';
import type { PreparedStart } from './prepare-start';
import { withAttributes } from './with-attributes';

/** What a start found under its key. */
export interface StartAnswer {
  /** Whether the key had a session already, with the same request. */
  readonly attached: boolean;
  /** How that session had ended; absent while it goes on, and of a new one. */
  readonly end?: SessionEnd;
}

/** The answer of the call that started the session, or what was found where the key was taken. */
export type Begun<T> = { readonly answer: T } | { readonly found: StartAnswer };

/**
 * Runs a call that starts a session. Where the key is taken, attaches to the session with the same request, or begins anew if
 * the session that had the key certainly never came to exist at the payment service, with this request or another. Throws
 * `SessionConflictError` where the key belongs to another request.
 */
export async function unlessTaken<T>(
  client: Client,
  start: PreparedStart,
  call: () => Promise<T>,
): Promise<Begun<T>> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { found: await attachOrBeginAnew(client, start, error) };
  }
}

/** The field of the memo by which a start knows its own session again. */
const STARTED_BY = 'paymentSessionStartedBy';

/** A start that knows its own session again, however often it has to ask. */
export function marked(start: PreparedStart): PreparedStart {
  const { options } = start;
  return { ...start, options: { ...options, memo: { ...options.memo, [STARTED_BY]: randomUUID() } } };
}

/** What is seen of a session that has just been opened is seen within this time, or not at all. */
const LOOK_WITHIN_MS = 2_000;

/**
 * What a start that is marked has found, where the session was opened by an update that all callers share. `undefined` where the
 * engine does not say.
 */
export async function foundBy(client: Client, start: PreparedStart): Promise<StartAnswer | undefined> {
  const { workflowId, memo } = start.options;
  try {
    const holder = await withTimeout(client, LOOK_WITHIN_MS, () => lookAtHolder(client, workflowId));
    return attach(start, holder, memo[STARTED_BY]);
  } catch {
    return undefined;
  }
}

/** Others may begin anew at the same time, a few times at most. */
const MAX_LOOKS = 5;
/** What was seen of a session is acted on within this time, or not at all. */
const LOOK_AND_START_WITHIN_MS = 5_000;

async function attachOrBeginAnew(client: Client, start: PreparedStart, taken: unknown): Promise<StartAnswer> {
  const { workflowId, memo } = start.options;
  const starter = memo[STARTED_BY] ?? randomUUID();
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const holder = await withTimeout(client, LOOK_AND_START_WITHIN_MS, async () => {
      const found = await lookAtHolder(client, workflowId);
      if (found.leftNothing) await beginAnew(client, start, { starter, holder: found });
      return found;
    });
    if (!holder.leftNothing) return attach(start, holder, starter);
    const now = await lookAtHolder(client, workflowId);
    if (now.memo[STARTED_BY] === starter) return { attached: false };
    if (!now.leftNothing) return attach(start, now, starter);
  }
  throw failed('ENGINE_BUSY', taken);
}

function attach(
  { key, fingerprint }: PreparedStart,
  { end, fingerprint: taken, memo }: KeyHolder,
  starter: string | undefined,
): StartAnswer {
  if (taken !== fingerprint) throw new SessionConflictError(key);
  return { attached: memo[STARTED_BY] !== starter, ...(end !== undefined && { end }) };
}

/**
 * Starts a session in place of one that left nothing. All who do so in place of the same run make the same request to the engine,
 * which takes it once, whatever has become of the new session meanwhile: one that was begun and has ended since is not begun again.
 */
async function beginAnew(
  client: Client,
  start: PreparedStart,
  { starter, holder: { runId, end } }: { readonly starter: string; readonly holder: KeyHolder },
): Promise<void> {
  const reuse = end?.outcome === 'failed' ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE';
  const once: Pick<InternalWorkflowStartOptions, typeof InternalWorkflowStartOptionsSymbol> = {
    [InternalWorkflowStartOptionsSymbol]: { requestId: `paysession-after-${runId}` },
  };
  try {
    await withAttributes(start.options, (options) =>
      client.workflow.start<PaymentSessionWorkflow>(WORKFLOW_TYPE, {
        ...options,
        ...once,
        memo: { ...options.memo, [STARTED_BY]: starter },
        workflowIdReusePolicy: reuse,
      }),
    );
  } catch (error) {
    // Another session has the key by now.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
