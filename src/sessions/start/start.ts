/** Starts sessions without waiting until they are opened: one session, many sessions, or a session that a Nexus operation starts. */
import { Readable } from 'node:stream';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { isPaysessionError, type PaysessionError } from '../../errors';
import { WORKFLOW_TYPE } from '../../protocol/names';
import type { PaymentSessionWorkflow } from '../../protocol/state/session';
import type { PaymentSessionHandle } from '../payment-session-handle';
import { type PreparedStart, prepareStart, type SessionStartOptions } from './prepare-start';
import { refuseAnotherRequest, type StartAnswer, startUnlessTaken, withAttributes } from './taken-key';
import { isRecord } from '../../contract/values/json';
import type { PaymentSessionInput } from '../../protocol/input';

/** Starts a session, or attaches to the one that has the key. Throws the errors of `startUnlessTaken`. */
export async function startOrAttach(client: Client, start: PreparedStart): Promise<StartAnswer> {
  const begun = await startUnlessTaken(client, start, (options) =>
    client.workflow.start<PaymentSessionWorkflow>(WORKFLOW_TYPE, options),
  );
  return 'found' in begun ? begun.found : { attached: false };
}

/** Options of a call that starts a session's workflow, or joins a running one if `workflowIdConflictPolicy` says so. */
export type JoiningStartOptions = Omit<SessionStartOptions, 'workflowIdConflictPolicy'> & {
  readonly workflowIdConflictPolicy: 'FAIL' | 'USE_EXISTING';
};

/**
 * Starts a session by the given `call` instead of the client's start. For instance, the call also links the session to a Nexus operation.
 * If the key is taken, makes the call again to join the running session. If the key's session has ended, returns the key as `ended`.
 * Throws the errors of `startUnlessTaken`. Throws `InvalidRequestError` for a malformed input, before anything is started.
 */
export async function startOrJoin<T>(
  client: Client,
  { input, taskQueue }: { readonly input: unknown; readonly taskQueue: string },
  call: (options: JoiningStartOptions) => Promise<T>,
): Promise<{ readonly answer: T } | { readonly ended: string }> {
  const start = prepareStart(input, taskQueue);
  const begun = await startUnlessTaken(client, start, call);
  if ('answer' in begun) return begun;
  const joined = await join(start, call);
  // The call joins any session that has the key. Since `startUnlessTaken` compared the requests, another start may have
  // replaced the session.
  await refuseAnotherRequest(client, start);
  return joined;
}

async function join<T>(
  { key, options }: PreparedStart,
  call: (options: JoiningStartOptions) => Promise<T>,
): Promise<{ readonly answer: T } | { readonly ended: string }> {
  try {
    return { answer: await withAttributes({ ...options, workflowIdConflictPolicy: 'USE_EXISTING' }, call) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { ended: key };
  }
}

/** Options of {@link PaymentSessions.startMany}. */
export interface StartManyOptions {
  /** The maximum number of sessions to start at once. @default 20 */
  readonly concurrency?: number;
}

/** A session that a start created or attached to. `attached` and `end` say which, and how an existing session had ended. */
export interface StartedSession extends StartAnswer {
  /** A handle of the session. */
  readonly session: PaymentSessionHandle;
}

/** The outcome of one start: the session, or the `error`. `key` is empty if the input has no key. */
export type StartManyResult =
  | ({ readonly key: string } & StartedSession)
  | { readonly key: string; readonly error: PaysessionError };

/** Checks and copies an input. The returned function starts its session. */
type Prepare = (input: PaymentSessionInput) => () => Promise<StartedSession>;

/** Starts a session for each input, up to `concurrency` at once. Returns the outcomes in the order of the inputs. */
export function startEach(
  prepare: Prepare,
  inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
  { concurrency = 20 }: StartManyOptions = {},
): AsyncIterable<StartManyResult> {
  // Copies each input as it comes. The stream asks for the next input before it begins this start, and the caller may
  // reuse one object for both inputs.
  async function* starts() {
    for await (const input of inputs) yield startOf(prepare, input);
  }
  return Readable.from(starts()).map((begin: () => Promise<StartManyResult>) => begin(), { concurrency });
}

/** Prepares the start of an input. The returned function starts the session and resolves with the outcome. */
function startOf(prepare: Prepare, input: PaymentSessionInput): () => Promise<StartManyResult> {
  const key = keyOf(input);
  const outcomeOf = (error: unknown): StartManyResult => {
    if (isPaysessionError(error)) return { key, error };
    throw error;
  };
  try {
    const start = prepare(input);
    return () => start().then((started) => ({ key, ...started }), outcomeOf);
  } catch (error) {
    const refused = outcomeOf(error);
    return () => Promise.resolve(refused);
  }
}

/** Returns the key of an input. Empty if untyped code passed an input without a key. */
function keyOf(input: unknown): string {
  return isRecord(input) && typeof input['key'] === 'string' ? input['key'] : '';
}
