import { randomUUID } from 'node:crypto';
import {
  type Client,
  type InternalConnectionLike,
  InternalConnectionLikeSymbol,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import {
  InternalWorkflowStartOptionsSymbol,
  type InternalWorkflowStartOptions,
} from '@temporalio/client/lib/internal';
import { SessionConflictError } from '../../errors';
import { WORKFLOW_TYPE } from '../../protocol/names';
import { GRPC, grpcAnswerOf } from '../../protocol/temporal/grpc';
import type { PaymentSessionWorkflow } from '../../protocol/state/session';
import { failed, withTimeout } from '../calls/engine-errors';
import { readStoredInput } from '../stored-input';
import { differingPaths } from './differing-paths';
import { lookAtHolder, type KeyHolder, type SessionEnd } from './key-holder';
import { type PreparedStart, prepareStart, type SessionStartOptions } from './prepare-start';

/** What a start found under its key. */
export interface StartAnswer {
  /** Whether the key had a session already, with the same request. */
  readonly attached: boolean;
  /** How that session had ended; absent while it goes on, and of a new one. */
  readonly end?: SessionEnd;
}

/** The answer of the call that started the session, or what was found where the key was taken. */
type Begun<T> = { readonly answer: T } | { readonly found: StartAnswer };

/** Starts a session, or attaches to the one that has the key. Throws what `startUnlessTaken` throws. */
export async function startOrAttach(client: Client, start: PreparedStart): Promise<StartAnswer> {
  const requestEagerStart = sharesConnection(client);
  const begun = await startUnlessTaken(client, start, (options) =>
    client.workflow.start<PaymentSessionWorkflow>(WORKFLOW_TYPE, { ...options, requestEagerStart }),
  );
  return 'found' in begun ? begun.found : { attached: false };
}

/**
 * Whether a client uses a connection that workers of this process may share. Such a worker then gets a session's first task
 * with the answer to the start; where there is none, it changes nothing.
 */
function sharesConnection({ connection }: Client): boolean {
  const shared: InternalConnectionLike = connection;
  return shared[InternalConnectionLikeSymbol]?.supportsEagerStart === true;
}

/** How a session is started by a call that also joins a running one, if it is told to. */
export type JoiningStartOptions = Omit<SessionStartOptions, 'workflowIdConflictPolicy'> & {
  readonly workflowIdConflictPolicy: 'FAIL' | 'USE_EXISTING';
};

/**
 * Starts a session by a call of another kind than the client's, for instance one that links it to a Nexus operation. Where the key is
 * taken, the call is made once more to join the session that has it; `ended`: that one is over. Throws `InvalidRequestError` for a
 * malformed input, before anything is started, and what `startUnlessTaken` throws.
 */
export async function startOrJoin<T>(
  client: Client,
  { input, taskQueue }: { readonly input: unknown; readonly taskQueue: string },
  call: (options: JoiningStartOptions) => Promise<T>,
): Promise<{ readonly answer: T } | { readonly ended: string }> {
  const start = prepareStart(input, taskQueue);
  const begun = await startUnlessTaken(client, start, call);
  if ('answer' in begun) return begun;
  try {
    const joining = { ...start.options, workflowIdConflictPolicy: 'USE_EXISTING' as const };
    return { answer: await withAttributes(joining, call) };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { ended: start.key };
  }
}

/**
 * Runs a call that starts a session, with the options to start it with. Where the key is taken, attaches to the session with the
 * same request, or begins anew if the session that had the key certainly never came to exist at the payment service, with this
 * request or another. Throws `SessionConflictError` where the key belongs to another request.
 */
export async function startUnlessTaken<T>(
  client: Client,
  start: PreparedStart,
  call: (options: SessionStartOptions) => Promise<T>,
): Promise<Begun<T>> {
  try {
    return { answer: await withAttributes(start.options, call) };
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

/** The mark of a start: random, so that the engine's ids of its calls say nothing about the request. */
export const markOf = ({ options }: PreparedStart): string => options.memo[STARTED_BY] ?? randomUUID();

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
    return await attach(client, start, holder, memo[STARTED_BY]);
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
    if (!holder.leftNothing) return attach(client, start, holder, starter);
    const now = await lookAtHolder(client, workflowId);
    if (now.memo[STARTED_BY] === starter) return { attached: false };
    if (!now.leftNothing) return attach(client, start, now, starter);
  }
  throw failed('ENGINE_BUSY', taken);
}

async function attach(
  client: Client,
  start: PreparedStart,
  { end, fingerprint: taken, memo }: KeyHolder,
  starter: string | undefined,
): Promise<StartAnswer> {
  if (taken !== start.fingerprint) throw await conflictOf(client, start);
  return { attached: memo[STARTED_BY] !== starter, ...(end !== undefined && { end }) };
}

/** What was asked for before is read for the message alone, within this time. */
const READ_WITHIN_MS = 2_000;

async function conflictOf(
  client: Client,
  { key, options: { workflowId, args } }: PreparedStart,
): Promise<SessionConflictError> {
  try {
    const stored = await withTimeout(client, READ_WITHIN_MS, () => readStoredInput(client, workflowId));
    return new SessionConflictError(key, stored && differingPaths(args[0], stored));
  } catch {
    // The other request may be encrypted with a key that this client lacks.
    return new SessionConflictError(key);
  }
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

/**
 * Starts a session with the search attributes that are known already. A namespace lacks them until a worker has registered
 * them, and for a minute more: then the session is started without, and adds them itself.
 */
async function withAttributes<T, Options extends Pick<SessionStartOptions, 'typedSearchAttributes'>>(
  options: Options,
  start: (options: Options) => Promise<T>,
): Promise<T> {
  try {
    return await start(options);
  } catch (error) {
    if (!lacksAttributes(error)) throw error;
    return await start({ ...options, typedSearchAttributes: [] });
  }
}

function lacksAttributes(error: unknown): boolean {
  const answer = grpcAnswerOf(error);
  return answer?.code === GRPC.INVALID_ARGUMENT && /search attribute/i.test(answer.message);
}
