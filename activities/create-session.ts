import { Context, type Info } from '@temporalio/activity';
import { sessionKind, validateSessionRequest } from '../src/contract';
import {
  InvalidRequestError,
  isPaysessionError,
  ServiceError,
  type ServiceFailure,
  withRemedy,
} from '../src/errors';
import type { CreateResult, CreateSessionInput, FailedCreate } from '../src/protocol/activities';
import { createdFacts } from '../src/protocol/ledger/session-facts';
import { notSent, type PacedService } from '../src/service';
import type { ActivitiesOptions, ServiceDirectory } from './dependencies';
import { askedAt, checkWorkflowId, claimKey, notSentFor, withoutLedger, type SessionLedger } from './ledger';
import { NotOnRecordError, WriteAhead, type Alive } from './write-ahead';

/**
 * The longest time that a create waits for an access token. If the token takes longer, the workflow gets it by the activity
 * `authenticate`, and attempts the create again.
 */
const TOKEN_WITHIN_MS = 2_000;

/**
 * Creates the session at the payment service. A cancellation ends the waits before the request is sent. It does not interrupt a
 * request that has been sent.
 */
export async function createSession(
  options: ActivitiesOptions,
  input: CreateSessionInput,
): Promise<CreateResult> {
  const { serviceOf, completion, claims, ledger, now, isStopping } = options;
  const context = Context.current();
  checkWorkflowId(context.info, input.claim.key);
  if (isRepeated(context.info, input.runId)) return createdBefore(options, input);
  // Only the ledger may know that the key already has a session, so a worker without the ledger sends nothing.
  if (ledger === undefined && input.isClaimed === true) return notSentFor(withoutLedger());
  const service = prepared(serviceOf, input);
  if ('failure' in service) return service;
  const leftMs = timeLeft(input, context.info, now);
  const create = async (alive: Alive): Promise<CreateResult> => {
    const at = askedAt(context.info);
    const known = ledger && (await claimKey(ledger, { input, serviceOf, at }));
    if (known !== undefined) return known;
    const sent = await authenticateAndCreate(service, { input, alive, leftMs });
    const result =
      ledger === undefined ? sent : await recorded(ledger, { input, info: context.info, at }, sent);
    if (result.outcome === 'created') claims?.created(result.sessionId, input.claim.key);
    return result;
  };
  return new WriteAhead(completion, context, { isStopping, isOnLedger: ledger !== undefined }).run(create);
}

/**
 * Returns the outcome of a create whose activity was dispatched a second time. Sends nothing, because the first execution may
 * have sent the request. The ledger may know the outcome.
 */
async function createdBefore(
  { serviceOf, ledger }: ActivitiesOptions,
  input: CreateSessionInput,
): Promise<CreateResult> {
  const unknown = { outcome: 'unknown', failure: repeatedCreate(), isRepeated: true } as const;
  if (ledger === undefined) return unknown;
  const at = askedAt(Context.current().info);
  const known = await claimKey(ledger, { input, serviceOf, at });
  // Any other answer, such as an error of the ledger, is replaced by `unknown`. With the original answer, the workflow
  // might send the create again.
  return known?.outcome === 'created' ? known : { ...unknown, onLedger: true };
}

interface SentCreateOf {
  readonly input: CreateSessionInput;
  readonly info: Info;
  /** The time of the facts, see {@link askedAt}. It does not come from the workers' own clocks, which may differ. */
  readonly at: string;
}

/**
 * Records a created session or an unknown outcome in the ledger, if the ledger answers soon. The activity returns its result
 * only after that. So if the result is lost, the ledger still has it.
 *
 * If the ledger refuses the session because another key follows it, the outcome becomes `unknown`: the service may have opened
 * a different session, or none.
 */
async function recorded(
  ledger: SessionLedger,
  create: SentCreateOf,
  result: CreateResult,
): Promise<CreateResult> {
  const { input, info, at } = create;
  const { claim } = input;
  if (result.outcome === 'created') {
    const { sessionId } = result;
    const fault = await ledger.record(claim, createdFacts(sessionKind(input.request), sessionId, at));
    if (fault === 'followed')
      return recorded(ledger, create, { outcome: 'unknown', failure: anotherKeys(), sessionId });
  } else if (result.outcome === 'unknown') {
    const attempt = `${info.workflowExecution?.runId ?? ''}:${info.activityId}`;
    await ledger.record(claim, [{ kind: 'createUnknown', at, attempt, code: result.failure.code }]);
  }
  return { ...result, onLedger: true };
}

interface Create {
  readonly input: CreateSessionInput;
  readonly alive: Alive;
  readonly leftMs: () => number;
}

async function authenticateAndCreate(
  service: PacedService,
  { input, alive, leftMs }: Create,
): Promise<CreateResult> {
  const failure = await tokenFailure(service, alive.signal);
  if (failure !== undefined) return { outcome: 'notAuthenticated', failure };
  const { request, waitedMs } = input;
  try {
    return await service.createSession(request, { ...alive, withinMs: leftMs(), waitedMs });
  } catch (error) {
    if (error instanceof NotOnRecordError) return { outcome: 'notSent', failure: error.failure };
    throw error;
  }
}

/**
 * Gets an access token, if the worker has none. Returns the failure if there is no token in time; `undefined` if there is a
 * token.
 */
async function tokenFailure(service: PacedService, signal: AbortSignal): Promise<ServiceFailure | undefined> {
  try {
    const soon = AbortSignal.timeout(TOKEN_WITHIN_MS);
    await service.authenticate({ signal: AbortSignal.any([signal, soon]) });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure;
    throw error;
  }
}

/**
 * Returns a function that returns the time left for the create, in milliseconds. Without the option `now`, the time counts from
 * this call. It cannot count from the dispatch of the activity, because the SDK reports only when the server scheduled the
 * activity, and by the server's clock.
 */
function timeLeft(
  { withinMs }: CreateSessionInput,
  { scheduledTimestampMs }: Info,
  now?: () => number,
): () => number {
  const beganAt = performance.now();
  const passedMs = (): number =>
    now === undefined ? performance.now() - beganAt : Math.max(0, now() - scheduledTimestampMs);
  return () => Math.max(1, withinMs - passedMs());
}

/**
 * Returns the service to which a create is sent. Throws `PaysessionError`, for instance with the code `INVALID_REQUEST` or
 * `UNKNOWN_ACCOUNT`. These codes show the workflow that nothing was sent. Any other error is returned as the outcome `notSent`.
 * If it were thrown, the workflow would have to assume that the create may have been sent.
 */
function prepared(serviceOf: ServiceDirectory, input: CreateSessionInput): PacedService | FailedCreate {
  try {
    const checked = validateSessionRequest(input.request);
    if (!checked.valid) throw new InvalidRequestError(checked.failures);
    return serviceOf(input.account);
  } catch (error) {
    if (isPaysessionError(error)) throw error;
    return { outcome: 'notSent', failure: notSent('create', error) };
  }
}

/**
 * The maximum difference between the two times of a first attempt. Temporal's test server reads its clock twice, so the times
 * may differ a little.
 */
const TICK_MS = 100;

/** The part of an activity's information that shows whether it was dispatched before. */
type ExecutionInfo = Pick<
  Info,
  'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs' | 'workflowExecution'
>;

/**
 * True if this activity was dispatched before, so that an earlier execution may have sent the create. The Temporal server never
 * repeats a create by itself. But if an operator resets the activity or the workflow, the server may dispatch the activity
 * again. After a reset of the workflow, the activity belongs to another run.
 */
export function isRepeated(info: ExecutionInfo, askedByRunId: string): boolean {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs, workflowExecution } = info;
  const isOfAnotherRun = askedByRunId !== workflowExecution?.runId;
  return isOfAnotherRun || attempt > 1 || currentAttemptScheduledTimestampMs - scheduledTimestampMs > TICK_MS;
}

function anotherKeys(): ServiceFailure {
  const code = 'SERVICE_WRONG_SESSION';
  const happened =
    'The payment service answered the create request with a session that another key follows, so the answer was ignored.';
  return { code, message: withRemedy(code, happened) };
}

function repeatedCreate(): ServiceFailure {
  const code = 'SERVICE_INTERRUPTED';
  const happened =
    'A reset started the create activity again; its first execution may have sent the create request.';
  return { code, message: withRemedy(code, happened) };
}
