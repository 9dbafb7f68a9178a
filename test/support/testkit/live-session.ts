import { expect } from '@jest/globals';
import type { Fault } from '../../../sandbox';
import type { PaymentSessionHandle, PaymentSessionInput, SessionRequest } from '../../../src';
import { isPaysessionError, type ErrorCode } from '../../../src/errors';
import type { PaymentWorld } from '../../../testkit';
import { eft, eTransfer, geft } from '../requests';
import { until } from '../wait';
import { IDLE_EXPIRY_MIN, type Kind } from './service-model';
import { BUSY_MIN, CADENCES, SHORT_DEADLINE_MIN, type CreateFault, type Start } from './world-model';
import type { History } from '../../../testkit/histories/history-json';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

export const SANDBOX = { idleExpiryMs: IDLE_EXPIRY_MIN * 60_000 };

const REQUESTS: Record<Kind, SessionRequest> = { EFT: eft(), GEFT: geft(), 'e-Transfer': eTransfer() };

const CREATE_FAULTS: Record<CreateFault, Fault> = {
  answerLost: { kind: 'reset', phase: 'after' },
  callLost: { kind: 'reset', phase: 'before' },
  status500: { kind: 'status', status: 500 },
  busy: { kind: 'status', status: 429, retryAfter: String(BUSY_MIN * 60) },
};

/** A real session in a payment world, with its caller. A test compares it with the model (`WorldModel`). */
export class LiveSession {
  readonly #createsBefore: number;

  constructor(
    readonly world: PaymentWorld,
    readonly input: PaymentSessionInput,
  ) {
    this.#createsBefore = this.#creates().length;
  }

  get session(): PaymentSessionHandle {
    return this.world.sessions.get(this.input.key);
  }

  /**
   * Starts the session with the given faults of the service. If `isCancelledMeanwhile`, cancels it during the first create request.
   * Before the start, an hour passes: older tokens and pauses would change the time of the create request.
   */
  async start({ authorizeFaults, createFaults, isCancelledMeanwhile }: Start): Promise<void> {
    const { sandbox, service, sessions } = this.world;
    await this.world.advance('1h');
    const hold = isCancelledMeanwhile ? sandbox.hold('create', 'before') : undefined;
    service.fail('authorize', { kind: 'status', status: 503 }, authorizeFaults);
    for (const fault of createFaults) service.fail('create', CREATE_FAULTS[fault]);
    await sessions.start(this.input);
    if (hold === undefined) return;
    await this.passing(hold.reached);
    await this.session.cancel();
    // If an activity ends at the moment of its cancel, the test server stalls for ten seconds. This avoids that moment.
    const history = () => fetchHistory(this.world.client, this.input.key);
    await until(history, ({ events }) => events?.some(isCancelRequest) === true);
    hold.release();
  }

  /** Returns the number of create requests that have arrived at the service. */
  creates(): number {
    return this.#creates().length - this.#createsBefore;
  }

  /** Returns the id of the session that the last create request has opened. The answer may have been lost. */
  lastCreated(): string {
    const sessionId = this.#creates().at(-1)?.sessionId;
    if (sessionId === undefined) throw new Error('the last create made no session');
    return sessionId;
  }

  async sessionId(): Promise<string> {
    return (await this.session.opened()).sessionId;
  }

  /** Waits for a call, and advances time meanwhile, because the call may wait for a later request to the service. */
  async passing<T>(call: Promise<T>): Promise<T> {
    let isSettled = false;
    const settling = call.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    const passed = async () => {
      await this.world.advance('200ms');
      return isSettled;
    };
    await Promise.race([settling, until(passed, Boolean)]);
    return call;
  }

  /** Advances time until the session’s cancel is settled. */
  async cancelSettled(): Promise<void> {
    const laterState = async () => {
      await this.world.advance('200ms');
      return this.session.state();
    };
    await until(laterState, ({ phase }) => phase !== 'cancelling' && phase !== 'creating');
  }

  /** Removes the faults and terminates the workflow, so that the next sequence begins without them. */
  async clear(): Promise<void> {
    this.world.sandbox.clearFaults();
    const workflow = this.world.client.workflow.getHandle(this.session.workflowId);
    const { status } = await workflow.describe();
    if (status.name === 'RUNNING') await workflow.terminate();
  }

  #creates() {
    return this.world.service.audit({ route: 'create' });
  }
}

export function inputOf(
  key: string,
  { kind, cadence, onUnknownCreate, isShort }: Start,
): PaymentSessionInput {
  const { pollMin, slowestUnsignedPollMin, deadlineMin, padMin } = CADENCES[cadence];
  const policy = {
    onUnknownCreate,
    fastestPoll: `${pollMin}m`,
    slowestPoll: `${pollMin}m`,
    slowestUnsignedPoll: `${slowestUnsignedPollMin}m`,
    deadline: `${isShort ? SHORT_DEADLINE_MIN : deadlineMin}m`,
    padSignatureDeadline: `${padMin}m`,
  } as const;
  return { key, request: REQUESTS[kind], policy };
}

type HistoryEvent = NonNullable<History['events']>[number];

const isCancelRequest = (event: HistoryEvent) => event.activityTaskCancelRequestedEventAttributes != null;

/** Checks that a call fails with the error code. */
export async function refusal(call: Promise<unknown>, code: ErrorCode): Promise<void> {
  const outcome = await call.then(
    () => 'done',
    (error: unknown) => error,
  );
  expect(isPaysessionError(outcome, code) ? code : outcome).toBe(code);
}
